//! Bits behind one another, the lowest first, as deflate has them.

/// Writes bits behind what is in a buffer.
pub(super) struct Bits<'a> {
    into: &'a mut Vec<u8>,
    /// Position of the next bytes.
    at: usize,
    /// End of the buffer, without [`SPARE`].
    end: usize,
    /// Bits that are not written yet.
    waiting: u64,
    count: u32,
}

/// Eight bytes are written at once, of which some are written over by the next.
const SPARE: usize = 8;

impl<'a> Bits<'a> {
    pub(super) fn new(into: &'a mut Vec<u8>, room: usize) -> Bits<'a> {
        let at = into.len();
        into.resize(at + room + SPARE, 0);
        Bits {
            into,
            at,
            end: at + room,
            waiting: 0,
            count: 0,
        }
    }

    /// Adds bits. Between two writes there is place for 56 of them.
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
    }

    /// Writes what makes whole bytes.
    pub(super) fn write(&mut self) {
        // Who goes on when there is no room writes over the end, and is told by `is_full`.
        let at = self.at.min(self.end);
        self.into[at..at + SPARE].copy_from_slice(&self.waiting.to_le_bytes());
        self.at = at + (self.count / 8) as usize;
        self.waiting >>= self.count & !7;
        self.count &= 7;
    }

    /// Returns true if the buffer was too small.
    pub(super) fn is_full(&self) -> bool {
        self.at >= self.end
    }

    /// Writes what begins a block: whole bytes, and the bits of one more.
    pub(super) fn header(&mut self, (bytes, bits, count): (&[u8], u8, u32)) {
        for byte in bytes {
            self.put(u64::from(*byte), 8);
            self.write();
        }
        self.put(u64::from(bits), count);
        self.write();
    }

    /// Writes the last bits, and cuts the buffer behind them. Whether there was room for all.
    pub(super) fn finish(mut self) -> bool {
        self.count = self.count.next_multiple_of(8);
        self.write();
        let fits = self.at <= self.end;
        self.into.truncate(self.at);
        fits
    }

    /// Returns the written data, for reuse: whole bytes, and the bits of one more.
    pub(super) fn taken(self) -> (Vec<u8>, u8, u32) {
        (self.into[..self.at].to_vec(), self.waiting as u8, self.count)
    }
}
