package dev.ebb.host.store.tile;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.BitSet;

/**
 * The lookups of one prompt, front to back.
 *
 * @param indexes those of the lookups in their batch
 * @param assumed the positions, in this prompt, of lookups whose place is assumed
 */
public record TiledPrompt(IntArrayList indexes, BitSet assumed) {}
