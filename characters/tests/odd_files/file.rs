//! glTF files, put together from numbers.

use serde_json::{Value, json};
use weft_characters::{Character, LoadError, read_gltf};

/// A file under construction: each list of numbers gets a buffer view and an accessor.
pub struct File {
    pub json: Value,
    bytes: Vec<u8>,
}

impl File {
    /// Of nodes, and no more.
    pub fn new(nodes: Value) -> Self {
        let json = json!({"asset": {"version": "2.0"}, "nodes": nodes, "accessors": [], "bufferViews": []});
        Self { json, bytes: Vec::new() }
    }

    /// Adds bytes; the place of their buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let views = self.json["bufferViews"].as_array_mut().expect("a list");
        views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        let place = views.len() - 1;
        self.bytes.extend(bytes);
        place
    }

    /// Adds an accessor; its place.
    pub fn accessor(&mut self, accessor: Value) -> usize {
        let all = self.json["accessors"].as_array_mut().expect("a list");
        all.push(accessor);
        all.len() - 1
    }

    /// Adds numbers of a type (`SCALAR`, `VEC3`, ...) with so many each.
    pub fn floats(&mut self, of: &str, each: usize, list: &[f32]) -> usize {
        let view = self.view(&list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
        self.accessor(
            json!({"bufferView": view, "componentType": 5126, "count": list.len() / each, "type": of}),
        )
    }

    /// Adds small whole numbers, four each.
    pub fn bytes4(&mut self, list: &[u8], normalized: bool) -> usize {
        let view = self.view(list);
        let n = list.len() / 4;
        self.accessor(json!({"bufferView": view, "componentType": 5121, "normalized": normalized, "count": n, "type": "VEC4"}))
    }

    /// Adds a clip of one channel.
    pub fn channel(&mut self, node: usize, path: &str, way: &str, (input, output): (usize, usize)) {
        let sampler = json!({"input": input, "output": output, "interpolation": way});
        let channel = json!({"sampler": 0, "target": {"node": node, "path": path}});
        let clip = json!({"samplers": [sampler], "channels": [channel]});
        self.json["animations"] = json!([clip]);
    }

    /// Its text, with the bytes in it.
    pub fn text(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bytes.is_empty() {
            let uri = format!("data:application/gltf-buffer;base64,{}", base64::encode(&self.bytes));
            json["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        }
        json.to_string().into_bytes()
    }

    /// The same as a binary file.
    pub fn binary(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut all = b"glTF".to_vec();
        let word = |x: usize, all: &mut Vec<u8>| all.extend((x as u32).to_le_bytes());
        word(2, &mut all);
        word(28 + text.len() + bytes.len(), &mut all);
        word(text.len(), &mut all);
        all.extend(b"JSON");
        all.extend(&text);
        word(bytes.len(), &mut all);
        all.extend(b"BIN\0");
        all.extend(&bytes);
        all
    }

    /// What is read of it.
    pub fn read(&self) -> Result<Character, LoadError> {
        read_gltf("odd.gltf", &self.text(), None)
    }

    /// What is said of it.
    pub fn wrong(&self) -> String {
        self.read().expect_err("it is wrong").to_string().replacen("odd.gltf: ", "", 1)
    }
}
