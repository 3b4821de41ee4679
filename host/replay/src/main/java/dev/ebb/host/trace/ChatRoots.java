package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * Finds the chat that a chain of chats began with, where each knows only its parent.
 *
 * <p>Memory is bounded: two generations of at most {@code generation} chats each, the older
 * forgotten whole when the younger is full; a chat that is asked for moves to the younger. A chat
 * whose parent is forgotten, or came before the trace began, counts from that parent on, so its
 * siblings still share a root.
 */
final class ChatRoots {

  static final int GENERATION = 1 << 19;

  private final int generation;
  private Long2LongOpenHashMap young = new Long2LongOpenHashMap();
  private Long2LongOpenHashMap old = new Long2LongOpenHashMap();

  ChatRoots(int generation) {
    this.generation = generation;
  }

  /** The root of a chat that begins a chain: itself. */
  long begin(long chat) {
    put(chat, chat);
    return chat;
  }

  /** The root of a chat that continues another. */
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
