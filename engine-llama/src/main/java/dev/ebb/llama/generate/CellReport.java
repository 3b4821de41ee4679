package dev.ebb.llama.generate;

/** The use of the KV cells. */
record CellReport(int cells, int used, int peak, long evictions, long evicted) {}
