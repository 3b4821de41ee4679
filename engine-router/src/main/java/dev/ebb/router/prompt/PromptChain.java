package dev.ebb.router.prompt;

import java.util.List;

/**
 * A prompt as hashes of blocks, each of which names its block and all before it. Prompts with equal
 * beginnings in the same namespace have equal first hashes.
 *
 * @param blocks the hashes of the full blocks, front to back
 * @param length the length of the prompt in blocks, with the part after the last full one
 * @param blockTokens the tokens of a block; 0 if they are not known, because blocks are of text
 */
@SuppressWarnings("ArrayRecordComponent")
public record PromptChain(long[] blocks, double length, int blockTokens) {

  /** The tokens of a block of a prompt that consists of token ids. */
  public static final int TOKENS = 16;

  /** The characters of a block of a text; four characters are about a token of English. */
  public static final int CHARACTERS = 64;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Returns the chain of a text. */
  public static PromptChain ofText(long namespace, CharSequence text) {
    long[] blocks = new long[text.length() / CHARACTERS];
    long hash = namespace;
    for (int block = 0; block < blocks.length; block++) {
      for (int i = block * CHARACTERS; i < (block + 1) * CHARACTERS; i++) {
        hash = next(hash, text.charAt(i));
      }
      blocks[block] = mixed(hash);
    }
    return new PromptChain(blocks, (double) text.length() / CHARACTERS, 0);
  }

  /** Returns the chain of token ids. */
  public static PromptChain ofTokens(long namespace, int[] tokens) {
    long[] blocks = new long[tokens.length / TOKENS];
    long hash = ~namespace;
    for (int block = 0; block < blocks.length; block++) {
      for (int i = block * TOKENS; i < (block + 1) * TOKENS; i++) {
        hash = next(hash, tokens[i]);
      }
      blocks[block] = mixed(hash);
    }
    return new PromptChain(blocks, (double) tokens.length / TOKENS, TOKENS);
  }

  /** Returns the namespace of prompts that share prefixes: those with equal names. */
  public static long namespace(List<String> names) {
    long hash = names.size();
    for (String name : names) {
      hash = next(hash, name.length());
      for (int i = 0; i < name.length(); i++) {
        hash = next(hash, name.charAt(i));
      }
    }
    return mixed(hash);
  }

  private static long next(long hash, int value) {
    return Long.rotateLeft((hash ^ value) * MULTIPLIER, 29);
  }

  private static long mixed(long hash) {
    long high = (hash ^ (hash >>> 32)) * MULTIPLIER;
    return high ^ (high >>> 29);
  }
}
