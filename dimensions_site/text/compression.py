"""What gzip is known by, and the ratio beyond which compressed data is an attack. Imports nothing of Django."""

GZIP_SIGNATURE = b"\x1f\x8b"
# What is compressed to less than this share of its size is an attack, if it is larger than any list of short codes.
MAX_RATIO = 200
RATIO_COUNTS_FROM_BYTES = 64 * 1024**2


def is_trap(size: int, compressed_size: int) -> bool:
    """Return whether data of `size` bytes, compressed to `compressed_size`, is compressed beyond any real data."""
    return size > RATIO_COUNTS_FROM_BYTES and size > MAX_RATIO * compressed_size
