package dev.ebb.llama.generate;

/**
 * What became of the KV cells.
 *
 * @param cells there are
 * @param used at the end
 * @param peak the most that were used
 * @param evictions how often tokens were dropped
 * @param evicted how many tokens were dropped
 */
record CellReport(int cells, int used, int peak, long evictions, long evicted) {}
