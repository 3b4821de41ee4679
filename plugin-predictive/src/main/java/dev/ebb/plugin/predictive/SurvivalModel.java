package dev.ebb.plugin.predictive;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * An online model of the probability that blocks are reused at an age. The hazard of a class in an
 * age bin is a base rate times one multiplier from each group of factors. A multiplier is the ratio
 * of observed to expected events in its cell, drawn towards 1 by a prior of pseudo-events. A batch
 * of observations takes effect when it is full, or an index is requested.
 *
 * <p>Untrained, the hazard per bin is constant. Per second it then falls as one over the age, and
 * past the first second the order by {@link #fillIndex} is that of last use.
 */
final class SurvivalModel {

  /** Probability of reuse per age bin before anything is known. */
  static final double BASE = 0.03;

  private static final int BATCH = 128;
  private static final double MAX_HAZARD = 3;
  private static final double MIN_MULTIPLIER = 0.02;
  private static final double MAX_MULTIPLIER = 50;

  // The groups whose cells depend on the age.
  private static final int AGE_GROUPS = 3;

  private static final int USES = Factor.USES.offset();
  private static final int DEPTH = Factor.DEPTH.offset();
  private static final int POSITION = Factor.POSITION.offset();
  private static final int MATCH = Factor.MATCH.offset();
  private static final int NEWS = Factor.NEWS.offset();
  private static final int OUTPUT = Factor.OUTPUT.offset();
  private static final int SUPERSEDED = Factor.SUPERSEDED.offset();
  private static final int HINT = Factor.HINT.offset();
  private static final int HINT_AGE = Factor.HINT_AGE.offset();

  private final int groups;
  private final double prior;
  private final double[] observed = new double[Factor.allCells()];
  private final double[] expected = new double[observed.length];
  private final double[] multipliers = new double[observed.length];
  private final double[] inverses = new double[observed.length];
  private int pending;

  // The cells whose multipliers have yet to follow their observations.
  private final boolean[] changed = new boolean[observed.length];
  private final int[] changes = new int[observed.length];
  private int changeCount;

  private final int[] cells = new int[Factor.values().length];

  // The stretches of bins, nearest on top, whose best hold-or-drop decisions follow each other.
  private final double[] gain = new double[Ages.BINS];
  private final double[] time = new double[Ages.BINS];
  private final double[] survival = new double[Ages.BINS];

  /**
   * Creates an untrained model.
   *
   * @param factors the groups to learn, beside the hint, which is learned where one is given
   * @param prior how many times the base rate weighs as pseudo-events in each cell
   */
  SurvivalModel(FactorSet factors, double prior) {
    this.groups = factors.groups();
    this.prior = prior * BASE;
    Arrays.fill(multipliers, 1);
    Arrays.fill(inverses, 1);
  }

  /**
   * Learns that blocks of a class lived through a bin, or part of it, and some were reused.
   *
   * @param exposure how many bins' worth of blocks could be reused, in weight
   */
  void observe(int blockClass, int bin, double exposure, double events) {
    int count = expose(blockClass, bin, exposure);
    for (int i = 0; i < count; i++) {
      observed[cells[i]] += events;
    }
  }

  /**
   * Learns that blocks of a class lived through a bin, or part of it, and none was reused.
   *
   * @param exposure how many bins' worth of blocks could be reused, in weight
   */
  void outlived(int blockClass, int bin, double exposure) {
    expose(blockClass, bin, exposure);
  }

  private int expose(int blockClass, int bin, double exposure) {
    if (++pending > BATCH) {
      refresh();
    }
    int count = locate(blockClass, bin);
    int age = cells[0];
    int uses = cells[1];
    int depth = cells[2];
    double hazard = BASE * multipliers[age] * multipliers[uses] * multipliers[depth];
    for (int i = AGE_GROUPS; i < count; i++) {
      hazard *= multipliers[cells[i]];
    }
    double expectation = exposure * Math.min(hazard, MAX_HAZARD);
    expected[age] += expectation * inverses[age];
    expected[uses] += expectation * inverses[uses];
    expected[depth] += expectation * inverses[depth];
    for (int i = AGE_GROUPS; i < count; i++) {
      int cell = cells[i];
      expected[cell] += expectation * inverses[cell];
    }
    for (int i = 0; i < count; i++) {
      change(cells[i]);
    }
    return count;
  }

  private void change(int cell) {
    if (!changed[cell]) {
      changed[cell] = true;
      changes[changeCount++] = cell;
    }
  }

  // Divisions cost more than all else here, so they are done for many observations together.
  private void refresh() {
    for (int i = 0; i < changeCount; i++) {
      int cell = changes[i];
      changed[cell] = false;
      double ratio = (observed[cell] + prior) / (expected[cell] + prior);
      double multiplier = Math.min(Math.max(ratio, MIN_MULTIPLIER), MAX_MULTIPLIER);
      multipliers[cell] = multiplier;
      inverses[cell] = 1 / multiplier;
    }
    changeCount = 0;
    pending = 0;
  }

  private void refreshAll() {
    for (int cell = 0; cell < observed.length; cell++) {
      change(cell);
    }
    refresh();
  }

  /** Lets what was learned weigh less from now on. */
  void decay(double share) {
    for (int cell = 0; cell < observed.length; cell++) {
      if (expected[cell] != 0) {
        observed[cell] *= share;
        expected[cell] *= share;
        change(cell);
      }
    }
  }

  /** Writes what was observed. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(observed.length);
    for (int cell = 0; cell < observed.length; cell++) {
      out.writeDouble(observed[cell]);
      out.writeDouble(expected[cell]);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IOException if it is not that; the model is of no use then
   */
  void read(DataInputStream in) throws IOException {
    int written = in.readInt();
    if (written != observed.length) {
      throw new IOException("'%d' cells, not '%d'".formatted(written, observed.length));
    }
    for (int cell = 0; cell < observed.length; cell++) {
      observed[cell] = Weights.read(in);
      expected[cell] = Weights.read(in);
    }
    refreshAll();
  }

  /** Returns whether a group contributes to the hazard of a class. */
  boolean uses(Factor factor, int blockClass) {
    return switch (factor) {
      case SUPERSEDED -> BlockClass.isSuperseded(blockClass);
      case HINT, HINT_AGE -> BlockClass.hint(blockClass) != 0;
      default -> factor.number() < groups;
    };
  }

  /**
   * Returns the factor of a group that {@link #uses contributes} to the hazard of a class in a bin.
   */
  double multiplier(Factor factor, int blockClass, int bin) {
    int count = locate(blockClass, bin);
    return switch (factor) {
      case SUPERSEDED -> multipliers[cells[groups]];
      case HINT -> multipliers[cells[count - 2]];
      case HINT_AGE -> multipliers[cells[count - 1]];
      default -> multipliers[cells[factor.number()]];
    };
  }

  /**
   * Computes the survival index of a class at the start of each bin: the most hits per block-second
   * that holding a block from then on can bring, over all ages at which to drop it. Half of the
   * last one covers all greater ages.
   *
   * <p>For one block this is the Gittins index of holding it: J. C. Gittins, "Bandit Processes and
   * Dynamic Allocation Indices", 1979. Stretches of bins are merged from the far end while that
   * raises the rate, so that the work is linear in the number of bins.
   *
   * @param out at least {@code offset + Ages.BINS + 1} long; bin b goes to {@code offset + b}
   */
  void fillIndex(int blockClass, int from, float[] out, int offset) {
    if (pending > 0) {
      refresh();
    }
    double steady = steadyHazard(blockClass);
    int hint = BlockClass.hint(blockClass);
    int hints = HINT_AGE + hint * Ages.COARSE;
    int ages = BlockClass.position(blockClass) * Ages.BINS;
    int uses = USES + BlockClass.uses(blockClass) * Ages.COARSE;
    int depths = DEPTH + BlockClass.depth(blockClass) * Ages.COARSE;
    int top = -1;
    for (int bin = Ages.BINS - 1; bin >= from; bin--) {
      int coarse = bin / Ages.COARSE_WIDTH;
      double hazard =
          steady
              * multipliers[ages + bin]
              * multipliers[uses + coarse]
              * multipliers[depths + coarse]
              * (hint == 0 ? 1 : multipliers[hints + coarse]);
      double reuse = 1 - Math.exp(-hazard);
      double hits = reuse;
      double held = Ages.width(bin) * (1 - reuse / 2);
      double alive = 1 - reuse;
      while (top >= 0 && gain[top] * held > hits * time[top]) {
        hits += alive * gain[top];
        held += alive * time[top];
        alive *= survival[top];
        top--;
      }
      top++;
      gain[top] = hits;
      time[top] = held;
      survival[top] = alive;
      out[offset + bin] = (float) (hits / held);
    }
    out[offset + Ages.BINS] = out[offset + Ages.BINS - 1] / 2;
  }

  // The part that all bins of a class have in common.
  private double steadyHazard(int blockClass) {
    int count = locate(blockClass, 0);
    double hazard = BASE;
    int steady = BlockClass.hint(blockClass) == 0 ? count : count - 1;
    for (int i = AGE_GROUPS; i < steady; i++) {
      hazard *= multipliers[cells[i]];
    }
    return hazard;
  }

  // Finds the cells that apply to a class in a bin, and returns how many there are.
  private int locate(int blockClass, int bin) {
    int position = BlockClass.position(blockClass);
    int uses = BlockClass.uses(blockClass);
    int coarse = bin / Ages.COARSE_WIDTH;
    cells[0] = position * Ages.BINS + bin;
    cells[1] = USES + uses * Ages.COARSE + coarse;
    cells[2] = DEPTH + BlockClass.depth(blockClass) * Ages.COARSE + coarse;
    cells[3] = POSITION + position * BlockClass.USES + uses;
    if (groups > 4) {
      cells[4] = MATCH + position * BlockClass.MATCHES + BlockClass.match(blockClass);
      cells[5] = NEWS + position * BlockClass.NEWS + BlockClass.news(blockClass);
    }
    if (groups > 6) {
      cells[6] = OUTPUT + position * BlockClass.OUTPUTS + BlockClass.output(blockClass);
    }
    int count = groups;
    if (BlockClass.isSuperseded(blockClass)) {
      cells[count++] = SUPERSEDED + position;
    }
    int hint = BlockClass.hint(blockClass);
    if (hint != 0) {
      cells[count++] = HINT + position * BlockClass.HINTS + hint;
      cells[count++] = HINT_AGE + hint * Ages.COARSE + coarse;
    }
    return count;
  }
}
