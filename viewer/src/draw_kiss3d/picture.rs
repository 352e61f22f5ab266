//! A picture of what is drawn, and its file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};

use super::canvas_error::CanvasError;

/// A picture, rows from above, three bytes per pixel.
pub struct Picture {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Red, green, blue, shape `[height][width][3]`.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Writes it as a PNG file, whose name must end in `.png`.
    ///
    /// The encoder is named here instead of chosen by the file's name: a choice at run time would link the encoders of all
    /// formats into the program, that of videos' pictures (AVIF) alone some megabytes.
    ///
    /// # Errors
    /// Another name, or what the file system says.
    pub fn save(&self, path: &Path) -> Result<(), CanvasError> {
        let failed = |why: String| CanvasError::Picture(path.display().to_string(), why);
        if !is_png(path) {
            let png = path.with_extension("png");
            return Err(failed(format!("pictures are PNG files; call it {}", png.display())));
        }
        self.write(path).map_err(|e| failed(e.to_string()))
    }

    fn write(&self, path: &Path) -> image::ImageResult<()> {
        let mut file = BufWriter::new(File::create(path)?);
        PngEncoder::new(&mut file).write_image(
            &self.rgb,
            self.width,
            self.height,
            ExtendedColorType::Rgb8,
        )?;
        Ok(file.flush()?)
    }

    /// Whether all pixels are alike: then nothing was drawn.
    pub fn is_blank(&self) -> bool {
        let first = self.rgb.get(..3);
        self.rgb.chunks_exact(3).all(|p| Some(p) == first)
    }
}

/// Whether a file's name is that of a PNG file.
fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_a_png_file_and_no_other() {
        let directory = tempfile::tempdir().expect("a directory");
        let rgb: Vec<u8> = (0..2 * 3 * 3).collect();
        let picture = Picture { width: 2, height: 3, rgb };
        let path = directory.path().join("seen.PNG");
        picture.save(&path).expect("it is written");
        let read = image::open(&path).expect("it is a picture").to_rgb8();
        assert_eq!((read.dimensions(), read.as_raw()), ((2, 3), &picture.rgb));
        let other = directory.path().join("seen.jpg");
        let refused = picture.save(&other).expect_err("it is no PNG file").to_string();
        assert!(refused.contains("seen.png") && !other.exists(), "{refused}");
    }
}
