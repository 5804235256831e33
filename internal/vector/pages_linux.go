package vector

import "syscall"

// adviseHuge asks for huge pages, which the system may not have.
func adviseHuge(pages []byte) { _ = syscall.Madvise(pages, syscall.MADV_HUGEPAGE) }
