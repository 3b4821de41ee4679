package dev.ebb.plugin.predictive;

/**
 * The properties of a block when a request touches it, packed into an int. Blocks of one class are
 * expected to be reused alike.
 */
final class BlockClass {

  /** Position from the end of the prompt: 0, 1, 2-3, 4 or more. */
  static final int POSITIONS = 4;

  /** Uses ever, this one included: 1, 2, 3-5, 6-15, 16-63, 64 or more. */
  static final int USES = 6;

  /** Bit length of the depth, at most 10. */
  static final int DEPTHS = 11;

  /** Leading blocks known: 0, 1, less than half, less than all but one, more; or not known. */
  static final int MATCHES = 6;

  /** Bit length of the number of new blocks, at most 10; or not known. */
  static final int NEWS = 12;

  /** Bit length of the output tokens, at most 12; or not known. */
  static final int OUTPUTS = 14;

  /** What the caller knows, as {@link CallerHint} groups it; 0 for nothing. */
  static final int HINTS = CallerHint.GROUPS;

  /** Match, new blocks, output and hint of a use that belongs to no request. */
  static final int NO_REQUEST = request(MATCHES - 1, NEWS - 1, OUTPUTS - 1, 0);

  private BlockClass() {}

  /** Returns the part that all blocks of one request share. */
  static int request(int match, int news, int output, int hint) {
    return match << 9 | news << 12 | output << 16 | hint << 20;
  }

  /** Returns the class of one block, given the part that its request shares. */
  static int of(int request, int fromEnd, int uses, int depth) {
    return request
        | Math.min(bitLength(fromEnd), POSITIONS - 1)
        | usesGroup(uses) << 2
        | Math.min(bitLength(depth), DEPTHS - 1) << 5;
  }

  /** Returns a class without what only the end of its request shows. */
  static int beforeEnd(int blockClass, int hint) {
    return (blockClass & ((1 << 16) - 1)) | (OUTPUTS - 1) << 16 | hint << 20;
  }

  static int position(int blockClass) {
    return blockClass & 3;
  }

  static int uses(int blockClass) {
    return blockClass >>> 2 & 7;
  }

  static int depth(int blockClass) {
    return blockClass >>> 5 & 15;
  }

  static int match(int blockClass) {
    return blockClass >>> 9 & 7;
  }

  static int news(int blockClass) {
    return blockClass >>> 12 & 15;
  }

  static int output(int blockClass) {
    return blockClass >>> 16 & 15;
  }

  static int hint(int blockClass) {
    return blockClass >>> 20 & 63;
  }

  /** Returns whether a later prompt has replaced that of the block. */
  static boolean isSuperseded(int blockClass) {
    return blockClass >>> 26 != 0;
  }

  /** Returns the class of a block whose prompt a later one has replaced. */
  static int supersede(int blockClass) {
    return blockClass | (1 << 26);
  }

  /** Returns the match group of a prompt whose first blocks were known. */
  static int matchGroup(int known, int blocks) {
    if (known <= 1) {
      return known;
    }
    if (2L * known < blocks) {
      return 2;
    }
    return known < blocks - 1 ? 3 : 4;
  }

  /** Returns the group of a number of new blocks. */
  static int newsGroup(int news) {
    return Math.min(bitLength(news), NEWS - 2);
  }

  /** Returns the group of an output length in tokens, -1 if unknown. */
  static int outputGroup(long tokens) {
    return tokens < 0
        ? OUTPUTS - 1
        : Math.min(Long.SIZE - Long.numberOfLeadingZeros(tokens), OUTPUTS - 2);
  }

  private static int usesGroup(int uses) {
    if (uses <= 2) {
      return uses - 1;
    }
    if (uses <= 5) {
      return 2;
    }
    return uses <= 15 ? 3 : uses <= 63 ? 4 : 5;
  }

  private static int bitLength(int number) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(number);
  }
}
