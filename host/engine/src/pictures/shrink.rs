//! Small copies of foreign pictures.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageError, ImageFormat, ImageReader, Limits, Pixel as _, Rgb, RgbImage};
use magpie_rows::{PictureCopy, PictureProblem};

/// Longest side of a copy in pixels: twice that of pictures in lists, for sharp displays.
const COPY_SIDE: u32 = 192;

/// Longest side of a picture in pixels.
const MAX_SIDE: u32 = 12_000;

/// Memory that decoding may take: that of a photo of 40 megapixels.
const MAX_MEMORY: u64 = 128 << 20;

/// Quality of copies: losses are hard to see at their size.
const QUALITY: u8 = 80;

const FORMATS: [ImageFormat; 4] = [
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::Gif,
    ImageFormat::WebP,
];

/// Makes a small copy of a picture. The format is that of its first bytes, since servers often
/// declare another.
pub(super) fn shrink(bytes: &[u8]) -> Result<PictureCopy, PictureProblem> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let mut reader = reader.map_err(|_| PictureProblem::Broken)?;
    if !reader.format().is_some_and(|format| FORMATS.contains(&format)) {
        return Err(PictureProblem::Type);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut picture = reader.decode().map_err(|error| match error {
        ImageError::Limits(_) => PictureProblem::Size,
        _ => PictureProblem::Broken,
    })?;
    if picture.width().max(picture.height()) > COPY_SIDE {
        picture = picture.thumbnail(COPY_SIDE, COPY_SIDE);
    }
    let picture = on_white(&picture);
    let mut jpeg = Vec::new();
    let written = JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode_image(&picture);
    written.map_err(|_| PictureProblem::Broken)?;
    Ok(PictureCopy {
        width: picture.width(),
        height: picture.height(),
        jpeg,
    })
}

/// Puts a picture on a white ground, because JPEG has no transparency.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let pixels = picture.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let mut ground = Rgb([255; 3]).to_rgba();
        ground.blend(pixels.get_pixel(x, y));
        ground.to_rgb()
    })
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn pictures_of_each_format_become_small_jpegs() {
        let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(600, 300, Rgb([200, 30, 30])));
        for format in FORMATS {
            let copy = shrink(&encoded(&picture, format)).unwrap();
            assert_eq!((copy.width, copy.height), (192, 96), "{format:?}");
            let read = image::load_from_memory_with_format(&copy.jpeg, ImageFormat::Jpeg).unwrap();
            let [red, green, _] = read.to_rgb8().get_pixel(90, 50).0;
            assert!(red > 180 && green < 50, "{format:?}: {red} {green}");
        }
    }

    #[test]
    fn a_small_picture_keeps_its_size_and_transparency_becomes_white() {
        let picture = DynamicImage::ImageRgba8(RgbaImage::from_pixel(40, 20, Rgba([0, 0, 0, 0])));
        let copy = shrink(&encoded(&picture, ImageFormat::Png)).unwrap();
        assert_eq!((copy.width, copy.height), (40, 20));
        let read = image::load_from_memory(&copy.jpeg).unwrap();
        assert!(read.to_rgb8().get_pixel(20, 10).0.iter().all(|part| *part > 250));
    }

    #[test]
    fn hostile_bytes_have_an_outcome() {
        let whole = encoded(&DynamicImage::ImageRgb8(RgbImage::new(64, 64)), ImageFormat::Png);
        // The width in the head of a PNG, with a checksum that fits.
        let wide = |width: u32, height: u32| {
            let mut bytes = whole.clone();
            bytes[16..20].copy_from_slice(&width.to_be_bytes());
            bytes[20..24].copy_from_slice(&height.to_be_bytes());
            let sum = crc32(&bytes[12..29]);
            bytes[29..33].copy_from_slice(&sum.to_be_bytes());
            bytes
        };
        for (name, bytes, problem) in [
            ("nothing", Vec::new(), PictureProblem::Type),
            (
                "a page",
                b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
                PictureProblem::Type,
            ),
            ("cut", whole[..whole.len() / 2].to_vec(), PictureProblem::Broken),
            ("huge", wide(60_000, 60_000), PictureProblem::Size),
            ("much memory", wide(11_000, 11_000), PictureProblem::Size),
        ] {
            assert_eq!(shrink(&bytes), Err(problem), "{name}");
        }
    }

    #[test]
    fn damaged_pictures_end_in_a_small_copy_or_a_problem() {
        let picture = DynamicImage::ImageRgb8(RgbImage::from_fn(20, 12, |x, y| {
            Rgb([(x * 12) as u8, (y * 20) as u8, 90])
        }));
        for format in FORMATS {
            let whole = encoded(&picture, format);
            for at in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[at] ^= 0xff;
                for bytes in [&damaged[..], &whole[..at]] {
                    let sides = shrink(bytes).map(|copy| copy.width.max(copy.height));
                    assert!(
                        sides.is_err() || sides <= Ok(COPY_SIDE),
                        "{format:?} at {at}: {sides:?}"
                    );
                }
            }
        }
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
                (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
            })
        })
    }
}
