package dev.ebb.dist;

import java.util.Random;

/**
 * Input for one connection that violates a protocol, or that a client would hardly send.
 *
 * @param kind what was done to it
 * @param http whether it is for the HTTP API, and not for the RESP server
 */
record MalformedInput(String kind, boolean http, byte[] bytes) {

  private static final int RESP_OF_TEN = 6;
  private static final int HTTP_OF_TEN = 2;

  /** Returns the input with a number; the same seed and number always give the same. */
  static MalformedInput of(long seed, long number) {
    Random random = new Random(seed + number * 0x9e3779b97f4a7c15L);
    // The first values of neighbouring seeds are alike.
    random.nextLong();
    int which = random.nextInt(10);
    return which < RESP_OF_TEN
        ? MalformedResp.next(random)
        : which < RESP_OF_TEN + HTTP_OF_TEN
            ? MalformedHttp.next(random)
            : MalformedJson.next(random);
  }
}
