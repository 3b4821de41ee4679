package dev.ebb.host.admission;

/**
 * A value that memory evicts, and its uses.
 *
 * @param key a hash of its key
 * @param uses how often it was used in memory, 1 if only stored
 * @param depth how many chunks precede it in its prompt
 * @param childrenSeen how many chunks have followed it, in different prompts
 * @param outputTokens the length of the answer to the prompt that used it last; -1 if unknown
 * @param lastUse the time of that, in nanoseconds: the same for all values of a prompt, about
 */
public record EvictedUse(
    long key, int uses, int depth, int childrenSeen, long outputTokens, long lastUse) {

  EvictedUse withUses(int newUses) {
    return new EvictedUse(key, newUses, depth, childrenSeen, outputTokens, lastUse);
  }
}
