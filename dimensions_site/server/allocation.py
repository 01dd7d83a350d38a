"""Which freed memory goes back to the system at once (design/web-server.md)."""

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>


def return_blocks_of(size: int) -> None:
    """Have every freed block of at least `size` bytes go back to the system, in this process and its children.

    By default glibc raises this size with each large block that is freed. Then a body that grows is copied, and what
    it took stays with the process. Other C libraries have no such setting.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, size)
        # As glibc does when it sets the size itself; without it, it returns memory far too often.
        mallopt(_M_TRIM_THRESHOLD, 2 * size)
