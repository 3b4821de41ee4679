package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * Finds the first chat of a chain of chats, where each knows only its parent.
 *
 * <p>Memory is bounded: two generations of at most {@code generation} chats each. The older is
 * dropped when the younger is full; a chat that is looked up moves to the younger. If a parent is
 * unknown, it counts as the root, so its children still share one.
 */
final class ChatRoots {

  static final int GENERATION = 1 << 19;

  private final int generation;
  private Long2LongOpenHashMap young = new Long2LongOpenHashMap();
  private Long2LongOpenHashMap old = new Long2LongOpenHashMap();

  ChatRoots(int generation) {
    this.generation = generation;
  }

  /** Returns the root of a chat that begins a chain: itself. */
  long begin(long chat) {
    put(chat, chat);
    return chat;
  }

  /** Returns the root of a chat that continues another. */
  long follow(long chat, long parent) {
    long root = young.getOrDefault(parent, old.getOrDefault(parent, parent));
    put(parent, root);
    put(chat, root);
    return root;
  }

  private void put(long chat, long root) {
    if (young.size() >= generation && !young.containsKey(chat)) {
      old = young;
      young = new Long2LongOpenHashMap();
    }
    young.put(chat, root);
  }
}
