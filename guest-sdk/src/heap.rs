//! Allocator of a component.
//!
//! A plugin instance lives for one page, makes many small allocations and has one thread. So small
//! pieces come in a few sizes and are cut from chunks one after the other. Freed pieces go to a
//! free list of their size, so allocating and freeing take a few instructions. Larger pieces come
//! from the system's allocator. This saves a tenth of the time of extraction.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// Size of the smallest piece, and alignment of all pieces.
const UNIT: usize = 16;

/// Number of piece sizes: 16, 32, 64 ... bytes.
const SIZES: usize = 7;

/// Size of the largest piece; the system serves larger requests.
const MAX_PIECE: usize = UNIT << (SIZES - 1);

/// Layout of the chunks requested from the system.
const CHUNK: Layout = match Layout::from_size_align(64 * 1024, UNIT) {
    Ok(layout) => layout,
    Err(_) => panic!("a chunk has a layout"),
};

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static HEAP: Heap = Heap::new();

struct Heap {
    /// For each size the piece freed last; it holds the address of the one freed before.
    free: [Cell<*mut u8>; SIZES],
    /// Address of the next piece to cut.
    next: Cell<*mut u8>,
    /// Number of bytes from there to the chunk's end.
    left: Cell<usize>,
}

// SAFETY: a component has one thread.
#[cfg(target_arch = "wasm32")]
unsafe impl Sync for Heap {}

/// Index of the size that serves a layout; `None` if the system serves it.
#[inline]
fn size_class(layout: &Layout) -> Option<usize> {
    let served = layout.size() <= MAX_PIECE && layout.align() <= UNIT;
    served.then(|| {
        ((layout.size().max(UNIT) - 1) / UNIT)
            .checked_ilog2()
            .map_or(0, |log| log as usize + 1)
    })
}

impl Heap {
    const fn new() -> Self {
        Self {
            free: [const { Cell::new(ptr::null_mut()) }; SIZES],
            next: Cell::new(ptr::null_mut()),
            left: Cell::new(0),
        }
    }

    /// Cuts a new piece; null if the system has no more memory.
    fn cut(&self, bytes: usize) -> *mut u8 {
        if self.left.get() < bytes {
            // SAFETY: the layout's size is not zero. The rest of the old chunk is abandoned.
            let chunk = unsafe { System.alloc(CHUNK) };
            if chunk.is_null() {
                return chunk;
            }
            self.next.set(chunk);
            self.left.set(CHUNK.size());
        }
        let piece = self.next.get();
        // SAFETY: at least this many bytes of the chunk follow.
        self.next.set(unsafe { piece.add(bytes) });
        self.left.set(self.left.get() - bytes);
        piece
    }
}

// SAFETY: every piece has a single owner until it is freed, is as large as its size says and
// aligned to a unit, because chunks are and all sizes are multiples of it. The layout alone decides
// who serves it, so a freed piece returns to the allocator that served it.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(size) = size_class(&layout) else {
            // SAFETY: as the caller promised.
            return unsafe { System.alloc(layout) };
        };
        let piece = self.free[size].get();
        if piece.is_null() {
            return self.cut(UNIT << size);
        }
        // SAFETY: a free piece holds the address of the next one.
        self.free[size].set(unsafe { piece.cast::<*mut u8>().read() });
        piece
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let Some(size) = size_class(&layout) else {
            // SAFETY: the system served it, as the layout says.
            return unsafe { System.dealloc(piece, layout) };
        };
        // SAFETY: the piece is ours again, aligned, and larger than an address.
        unsafe { piece.cast::<*mut u8>().write(self.free[size].get()) };
        self.free[size].set(piece);
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promised that the size is not too large for the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        let (old, new) = (size_class(&layout), size_class(&wanted));
        if old.is_none() && new.is_none() {
            // SAFETY: the system served it, as the layout says.
            return unsafe { System.realloc(piece, layout, bytes) };
        }
        if old == new {
            return piece;
        }
        // SAFETY: as the caller promised; both pieces are at least as large as what is copied.
        unsafe {
            let copy = self.alloc(wanted);
            if !copy.is_null() {
                ptr::copy_nonoverlapping(piece, copy, layout.size().min(bytes));
                self.dealloc(piece, layout);
            }
            copy
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_are_as_large_as_asked() {
        let class = |bytes, align| size_class(&Layout::from_size_align(bytes, align).expect("a layout"));
        for (bytes, align, size) in [
            (1, 1, Some(0)),
            (16, 16, Some(0)),
            (17, 1, Some(1)),
            (32, 8, Some(1)),
            (33, 8, Some(2)),
            (MAX_PIECE, 1, Some(SIZES - 1)),
            (MAX_PIECE + 1, 1, None),
            (8, 32, None),
        ] {
            assert_eq!(class(bytes, align), size, "{bytes} bytes aligned to {align}");
        }
    }

    /// A piece in use, and the byte that fills it.
    struct Piece(*mut u8, Layout, u8);

    impl Piece {
        fn fill(&self) {
            // SAFETY: the piece is ours and this large.
            unsafe { self.0.write_bytes(self.2, self.1.size()) }
        }

        fn check(&self, bytes: usize) {
            assert_eq!(self.0.addr() % self.1.align(), 0);
            // SAFETY: the piece is ours and at least this large.
            let content = unsafe { std::slice::from_raw_parts(self.0, bytes) };
            assert!(
                content.iter().all(|&byte| byte == self.2),
                "another piece lies here"
            );
        }
    }

    proptest! {
        // Each step allocates, frees or resizes a piece; no piece may ever overlap another.
        #[test]
        fn pieces_never_overlap(steps in prop::collection::vec((0..4_u8, 1..3000_usize, 0..7_u32, any::<usize>()), 1..300)) {
            let heap = Heap::new();
            let mut pieces: Vec<Piece> = Vec::new();
            for (fill, (step, bytes, align, choice)) in steps.into_iter().enumerate() {
                if step < 2 || pieces.is_empty() {
                    let layout = Layout::from_size_align(bytes, 1 << align).expect("a layout");
                    // SAFETY: the size is not zero.
                    pieces.push(Piece(unsafe { heap.alloc(layout) }, layout, fill as u8));
                } else if step == 2 {
                    let piece = pieces.swap_remove(choice % pieces.len());
                    piece.check(piece.1.size());
                    // SAFETY: it was allocated with this layout and is not used again.
                    unsafe { heap.dealloc(piece.0, piece.1) };
                    continue;
                } else {
                    let index = choice % pieces.len();
                    let mut piece = pieces.swap_remove(index);
                    // SAFETY: it was allocated with this layout; the old address is not used again.
                    piece.0 = unsafe { heap.realloc(piece.0, piece.1, bytes) };
                    let kept = piece.1.size().min(bytes);
                    piece.1 = Layout::from_size_align(bytes, piece.1.align()).expect("a layout");
                    piece.check(kept);
                    pieces.push(piece);
                }
                pieces.last().expect("one was just put there").fill();
            }
            for piece in pieces {
                piece.check(piece.1.size());
                // SAFETY: it was allocated with this layout and is not used again.
                unsafe { heap.dealloc(piece.0, piece.1) };
            }
        }
    }
}
