package dev.ebb.host.trace;

/**
 * Cuts the token ids of a prompt into blocks. A block's id follows from its tokens and all tokens
 * before it, as in engines with prefix caching. An unfinished last block has an id of its own.
 */
final class TokenBlocks {

  private final int blockTokens;
  private long hash;
  private long tokens;

  TokenBlocks(int blockTokens) {
    this.blockTokens = blockTokens;
  }

  void begin(TraceRequest request) {
    hash = 0;
    tokens = 0;
    request.blocks = 0;
  }

  void add(long token, TraceRequest request) {
    hash = Hash64.mix(hash + Hash64.mix(token + 1));
    tokens++;
    if (tokens % blockTokens == 0) {
      request.addId(hash >>> 1);
    }
  }

  void end(TraceRequest request) {
    if (tokens % blockTokens != 0) {
      request.addId(hash >>> 1);
    }
    request.inputTokens = tokens;
  }
}
