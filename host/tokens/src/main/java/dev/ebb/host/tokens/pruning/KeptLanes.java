package dev.ebb.host.tokens.pruning;

import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.TokenRuns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The kept tokens of each lane of a sequence, at the policy's granularity. Reused: the next
 * selection overwrites it.
 */
public final class KeptLanes implements KeptSets {

  private final int layers;
  private final int kvHeads;
  private final KeptTokens[] tokens;
  private final int[] setOf;
  private final List<KeptTokens> spare = new ArrayList<>();
  private int taken;
  private int sets = 1;

  public KeptLanes(int layers, int kvHeads) {
    this.layers = layers;
    this.kvHeads = kvHeads;
    tokens = new KeptTokens[layers * kvHeads];
    setOf = new int[layers * kvHeads];
    Arrays.fill(tokens, new KeptTokens());
  }

  /** Removes the previous selection. */
  public void clear() {
    taken = 0;
    sets = 1;
  }

  KeptTokens next() {
    if (taken == spare.size()) {
      spare.add(new KeptTokens());
    }
    return spare.get(taken++);
  }

  /** Sets the kept tokens of some heads of a layer: one set for all of them, or one for each. */
  void put(int layer, int firstHead, int heads, KeptTokens kept) {
    for (int head = 0; head < heads; head++) {
      int lane = layer * kvHeads + firstHead + head;
      tokens[lane] = kept;
      setOf[lane] = kept.sets() == 1 ? 0 : head;
    }
    boolean finer = heads < kvHeads || kept.sets() > 1;
    sets = Math.max(sets, finer ? layers * kvHeads : layers);
  }

  void putAll(KeptTokens kept) {
    Arrays.fill(tokens, kept);
    Arrays.fill(setOf, 0);
  }

  @Override
  public int sets() {
    return sets;
  }

  @Override
  public TokenRuns kept(int set) {
    int lane = set * (layers * kvHeads / sets);
    return tokens[lane].kept(setOf[lane]);
  }
}
