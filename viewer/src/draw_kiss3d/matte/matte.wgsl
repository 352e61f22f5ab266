// The matte material: light is computed at the vertices, fog at the pixels. No branch hangs on a uniform (see mod.rs).

struct Light {
    // Where it comes from, in world space, of length 1.
    toward: vec4<f32>,
    color: vec4<f32>,
}

struct Frame {
    clip_from_world: mat4x4<f32>,
    // Position of the eye; w: where fog begins.
    eye: vec4<f32>,
    // Color of the fog; w: one over the distance in which it closes.
    fog: vec4<f32>,
    ambient: vec4<f32>,
    lights: array<Light, 2>,
}

struct Object {
    world_from_local: mat4x4<f32>,
    color: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(0) var<uniform> object: Object;
@group(2) @binding(0) var image: texture_2d<f32>;
@group(2) @binding(1) var image_sampler: sampler;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tex_coord: vec2<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) from_eye: vec3<f32>,
    @location(1) lit: vec4<f32>,
    @location(2) tex_coord: vec2<f32>,
}

@vertex
fn place(vertex: Vertex) -> Fragment {
    let world = object.world_from_local * vec4<f32>(vertex.position, 1.0);
    let normal = normalize((object.world_from_local * vec4<f32>(vertex.normal, 0.0)).xyz);
    let key = frame.lights[0].color.rgb * max(dot(normal, frame.lights[0].toward.xyz), 0.0);
    let fill = frame.lights[1].color.rgb * max(dot(normal, frame.lights[1].toward.xyz), 0.0);
    var out: Fragment;
    out.clip = frame.clip_from_world * world;
    out.from_eye = world.xyz - frame.eye.xyz;
    out.lit = vec4<f32>(object.color.rgb * (frame.ambient.rgb + key + fill), object.color.a);
    out.tex_coord = vertex.tex_coord;
    return out;
}

fn color_of(in: Fragment) -> vec4<f32> {
    let surface = textureSample(image, image_sampler, in.tex_coord) * in.lit;
    let fog = clamp((length(in.from_eye) - frame.eye.w) * frame.fog.w, 0.0, 1.0);
    return vec4<f32>(mix(surface.rgb, frame.fog.rgb, fog), surface.a);
}

@fragment
fn opaque(in: Fragment) -> @location(0) vec4<f32> {
    return vec4<f32>(color_of(in).rgb, 1.0);
}

// What is translucent lets a part of the pixels behind it through, spread evenly (interleaved gradient noise, Jimenez 2014).
@fragment
fn sieve(in: Fragment) -> @location(0) vec4<f32> {
    let color = color_of(in);
    if color.a < fract(52.9829189 * fract(dot(in.clip.xy, vec2<f32>(0.06711056, 0.00583715)))) {
        discard;
    }
    return vec4<f32>(color.rgb, 1.0);
}
