package dev.ebb.plugin.predictive;

import java.util.Arrays;

/**
 * Blocks of one class that were touched at one time, and that nothing has touched since. They age
 * together, so a block only refers to its cohort.
 *
 * <p>All blocks of a class in one request weigh as one block together, so that long prompts do not
 * outvote short ones.
 *
 * <p>A cohort's number is where its fields start in one flat array, so that they share a cache
 * line. One list holds all cohorts in order of birth; the age bins are stretches of it, so ageing
 * only moves a border.
 */
final class Cohorts {

  /** No cohort; its fields are the ends of the list. */
  static final int NONE = 0;

  /** The cohort of a block that was removed. */
  static final int GONE = -1;

  private static final int CLASS = 0;
  private static final int BLOCKS = 1;
  private static final int WEIGHT = 2;
  private static final int BIN = 3;
  private static final int OLDER = 4;
  private static final int YOUNGER = 5;
  private static final int BORN_LOW = 6;
  private static final int BORN_HIGH = 7;
  private static final int FIELDS = 8;

  private static final int INITIAL = 64;
  private static final long RESOLUTION = 3_500_000;
  private static final int ALONE_BITS = 6;
  private static final int ALONE_SHIFT = Integer.SIZE - ALONE_BITS;
  private static final int GOLDEN_RATIO = 0x9E3779B9;

  private final SurvivalModel model;
  private int[] fields = new int[INITIAL * FIELDS];
  private int[] requests = new int[INITIAL];
  private int used = FIELDS;
  private int free = NONE;
  private int size;
  private long advanced = Long.MIN_VALUE / 2;

  private final int[] oldest = new int[Ages.BINS + 1];

  // No cohort of a bin passes its end before this time.
  private final long[] due = new long[Ages.BINS];

  /** The last cohort of blocks used alone, by a hash of its class. */
  private final int[] alone = new int[1 << ALONE_BITS];

  Cohorts(SurvivalModel model) {
    this.model = model;
    Arrays.fill(due, Long.MAX_VALUE);
    fields[BIN] = NONE - 1;
    setBorn(NONE, Long.MIN_VALUE);
  }

  /**
   * Starts a cohort without blocks, as the youngest. A policy on a thread of its own reads the time
   * of an entry's last touch, which may be later than the reported use. So births may come slightly
   * out of order, and a search for their places would take as long as the list.
   *
   * @param birth when its blocks were touched, in nanoseconds of the clock; one before that of the
   *     youngest so far is replaced by it
   * @param request the number of the request, whose cohorts are opened one after another; 0 for
   *     blocks used alone
   */
  int open(int blockClass, long birth, int request) {
    int cohort = free;
    if (cohort == NONE) {
      if (used == fields.length) {
        fields = Arrays.copyOf(fields, used * 2);
        requests = Arrays.copyOf(requests, used * 2 / FIELDS);
      }
      cohort = used;
      used += FIELDS;
    } else {
      free = fields[cohort + YOUNGER];
    }
    fields[cohort + CLASS] = blockClass;
    fields[cohort + BLOCKS] = 0;
    setBorn(cohort, Math.max(birth, newest()));
    requests[cohort / FIELDS] = request;
    add(cohort);
    size++;
    return cohort;
  }

  /** Returns whether a cohort has blocks, and is one of a class and birth. */
  boolean holds(int cohort, int blockClass, long birth) {
    return fields[cohort + BLOCKS] > 0
        && fields[cohort + CLASS] == blockClass
        && born(cohort) == birth;
  }

  /** Adds a block of the request that fills a cohort. */
  void join(int cohort) {
    int blocks = ++fields[cohort + BLOCKS];
    fields[cohort + WEIGHT] = Float.floatToRawIntBits(1f / blocks);
  }

  /**
   * Finds or starts the cohort of a block that was used alone, and adds the block. Such blocks of a
   * class share a cohort if they were used at nearly the same time. So there are few cohorts, and
   * they stay in the processor's cache.
   *
   * @param birth when it was used, in nanoseconds of the clock
   */
  int joinAlone(int blockClass, long birth) {
    int place = (blockClass * GOLDEN_RATIO) >>> ALONE_SHIFT;
    int cohort = alone[place];
    if (fields[cohort + BLOCKS] == 0
        || fields[cohort + CLASS] != blockClass
        || weight(cohort) != 1
        || birth - born(cohort) >= RESOLUTION) {
      cohort = open(blockClass, birth, 0);
      fields[cohort + WEIGHT] = Float.floatToRawIntBits(1);
      alone[place] = cohort;
    }
    fields[cohort + BLOCKS]++;
    return cohort;
  }

  /** Removes blocks that were touched again; the model learns it. */
  void reused(int cohort, int count) {
    int bin = fields[cohort + BIN];
    if (bin < Ages.BINS) {
      double events = (double) weight(cohort) * count;
      model.observe(fields[cohort + CLASS], bin, events / 2, events);
    }
    left(cohort, count);
  }

  /** Removes blocks that are forgotten: their reuse will not be known. */
  void left(int cohort, int count) {
    int blocks = fields[cohort + BLOCKS] - count;
    fields[cohort + BLOCKS] = blocks;
    if (blocks == 0) {
      remove(cohort);
      fields[cohort + YOUNGER] = free;
      free = cohort;
      size--;
    }
  }

  /**
   * Lets the model learn from every block that outlived its age bin; does nothing within a
   * hundredth of the shortest bin after the last time.
   */
  void advance(long now) {
    if (now - advanced < RESOLUTION) {
      return;
    }
    advanced = now;
    for (int bin = Ages.BINS - 1; bin >= 0; bin--) {
      if (now >= due[bin]) {
        advance(bin, now);
      }
    }
  }

  /** Returns the number of the request that filled a cohort; 0 for blocks used alone. */
  int request(int cohort) {
    return requests[cohort / FIELDS];
  }

  /** Returns the first of the cohorts of the request that filled this one. */
  int firstOfRequest(int cohort) {
    int first = cohort;
    for (int older = fields[first + OLDER]; isOf(older, request(cohort)); ) {
      first = older;
      older = fields[first + OLDER];
    }
    return first;
  }

  /** Returns the next cohort of the same request; {@link #NONE} if there is none. */
  int nextOfRequest(int cohort) {
    int younger = fields[cohort + YOUNGER];
    return isOf(younger, request(cohort)) ? younger : NONE;
  }

  /** Returns whether a cohort has blocks, which a request has filled. */
  boolean isOf(int cohort, int request) {
    return cohort != NONE && fields[cohort + BLOCKS] > 0 && request(cohort) == request;
  }

  int blocks(int cohort) {
    return fields[cohort + BLOCKS];
  }

  /** Changes the class of all blocks of a cohort. */
  void blockClass(int cohort, int newClass) {
    fields[cohort + CLASS] = newClass;
  }

  int blockClass(int cohort) {
    return fields[cohort + CLASS];
  }

  int bin(int cohort) {
    return fields[cohort + BIN];
  }

  long born(int cohort) {
    return (long) fields[cohort + BORN_HIGH] << Integer.SIZE
        | (fields[cohort + BORN_LOW] & 0xFFFF_FFFFL);
  }

  /** Returns when the youngest was born; the smallest time if there is none. */
  long newest() {
    return born(fields[NONE + OLDER]);
  }

  int size() {
    return size;
  }

  private void advance(int from, long now) {
    int cohort = oldest[from];
    while (cohort != NONE && fields[cohort + BIN] == from) {
      long age = now - born(cohort);
      if (!Ages.past(from, age)) {
        break;
      }
      outlived(cohort, age);
      cohort = fields[cohort + YOUNGER];
    }
    if (fields[cohort + BIN] == from) {
      oldest[from] = cohort;
      due[from] = born(cohort) + Ages.end(from);
    } else {
      oldest[from] = NONE;
      due[from] = Long.MAX_VALUE;
    }
  }

  private void outlived(int cohort, long age) {
    int bin = fields[cohort + BIN];
    double exposure = (double) weight(cohort) * fields[cohort + BLOCKS];
    do {
      model.outlived(fields[cohort + CLASS], bin, exposure);
      bin++;
    } while (bin < Ages.BINS && Ages.past(bin, age));
    fields[cohort + BIN] = bin;
    if (oldest[bin] == NONE) {
      lead(cohort, bin);
    }
  }

  private void add(int cohort) {
    int older = fields[NONE + OLDER];
    fields[cohort + OLDER] = older;
    fields[cohort + YOUNGER] = NONE;
    fields[older + YOUNGER] = cohort;
    fields[NONE + OLDER] = cohort;
    // All bins are those of the last advance, so that they never rise towards the young end.
    int bin = Ages.bin(advanced - born(cohort));
    fields[cohort + BIN] = bin;
    if (fields[older + BIN] != bin) {
      lead(cohort, bin);
    }
  }

  private void remove(int cohort) {
    int older = fields[cohort + OLDER];
    int younger = fields[cohort + YOUNGER];
    fields[older + YOUNGER] = younger;
    fields[younger + OLDER] = older;
    int bin = fields[cohort + BIN];
    if (oldest[bin] == cohort) {
      oldest[bin] = fields[younger + BIN] == bin ? younger : NONE;
    }
  }

  private void lead(int cohort, int bin) {
    oldest[bin] = cohort;
    if (bin < Ages.BINS) {
      due[bin] = born(cohort) + Ages.end(bin);
    }
  }

  private float weight(int cohort) {
    return Float.intBitsToFloat(fields[cohort + WEIGHT]);
  }

  private void setBorn(int cohort, long birth) {
    fields[cohort + BORN_LOW] = (int) birth;
    fields[cohort + BORN_HIGH] = (int) (birth >>> Integer.SIZE);
  }
}
