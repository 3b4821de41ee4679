package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Chooses a token that a grammar allows, from the logits of a context. A grammar looks at each
 * token of the vocabulary, so it is asked about the chosen token first, and about all only if it
 * refuses that one.
 */
@SuppressWarnings("restricted")
final class Candidates {

  private static final long DATA = Structs.TOKEN_DATA.byteSize();
  private static final long LOGIT = Structs.offset(Structs.TOKEN_DATA, "logit");
  private static final long CHOSEN = Structs.offset(Structs.TOKEN_DATA_ARRAY, "selected");
  private static final long SIZE = Structs.offset(Structs.TOKEN_DATA_ARRAY, "size");

  private final Native library;
  private final int vocabulary;
  private final MemorySegment data;
  private final MemorySegment array;

  Candidates(Native library, int vocabulary, Arena arena) {
    this.library = library;
    this.vocabulary = vocabulary;
    data = arena.allocate(Structs.TOKEN_DATA, vocabulary);
    array = arena.allocate(Structs.TOKEN_DATA_ARRAY);
    Structs.set(Structs.TOKEN_DATA_ARRAY, array, "data", data);
  }

  /** Chooses a token, and reports it to both; fails if the grammar allows none. */
  int choose(MemorySegment logits, MemorySegment chain, MemorySegment grammar) {
    fill(logits);
    int token = chosen(chain);
    if (!allows(grammar, token)) {
      fill(logits);
      library.llamaSamplerApply(grammar, array);
      requireAny();
      token = chosen(chain);
    }
    // llama.cpp would end the process for a token that the grammar does not allow.
    library.llamaSamplerAccept(grammar, token);
    library.llamaSamplerAccept(chain, token);
    return token;
  }

  private void fill(MemorySegment logits) {
    for (int token = 0; token < vocabulary; token++) {
      put(token, token, logits.getAtIndex(JAVA_FLOAT, token));
    }
    reset(vocabulary);
  }

  private void put(int index, int token, float logit) {
    data.set(JAVA_INT, index * DATA, token);
    data.set(JAVA_FLOAT, index * DATA + LOGIT, logit);
  }

  private void reset(long size) {
    array.set(JAVA_LONG, SIZE, size);
    array.set(JAVA_LONG, CHOSEN, -1);
    array.set(JAVA_BOOLEAN, Structs.offset(Structs.TOKEN_DATA_ARRAY, "sorted"), false);
  }

  private int chosen(MemorySegment chain) {
    library.llamaSamplerApply(chain, array);
    long index = array.get(JAVA_LONG, CHOSEN);
    MemorySegment now = array.get(ADDRESS, 0).reinterpret(array.get(JAVA_LONG, SIZE) * DATA);
    return now.get(JAVA_INT, index * DATA);
  }

  /** Returns whether a grammar allows a token as the next one. */
  boolean allows(MemorySegment grammar, int token) {
    put(0, token, 1);
    reset(1);
    library.llamaSamplerApply(grammar, array);
    return logit(0) > Float.NEGATIVE_INFINITY;
  }

  /** Lets a sampler draw one of all, so that its random numbers are as after a draw. */
  void draw(MemorySegment sampler) {
    for (int token = 0; token < vocabulary; token++) {
      put(token, token, 1);
    }
    reset(vocabulary);
    library.llamaSamplerApply(sampler, array);
  }

  private void requireAny() {
    for (int i = 0; i < vocabulary; i++) {
      if (logit(i) > Float.NEGATIVE_INFINITY) {
        return;
      }
    }
    throw new IllegalStateException("no token continues the answer as its format demands");
  }

  private float logit(int index) {
    return data.get(JAVA_FLOAT, index * DATA + LOGIT);
  }
}
