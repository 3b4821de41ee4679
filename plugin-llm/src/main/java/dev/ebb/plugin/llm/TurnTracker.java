package dev.ebb.plugin.llm;

import dev.ebb.spi.GhostList;
import dev.ebb.spi.Request;

/**
 * Finds the turns of conversations whose requests do not state them. A prompt that contains the
 * last complete block of an earlier one continues it. If a second prompt does so too, that block is
 * a shared prefix, and begins no conversation.
 *
 * <p>The ends of the last 65,536 prompts are known. A request costs one look-up for each block that
 * was not resident.
 */
final class TurnTracker {

  private static final int PROMPTS = 1 << 16;
  private static final long CONTINUED = 1L << 32;

  /** The turn of each prompt by its last block and the one before, which is complete. */
  private final GhostList ends = new GhostList(2 * PROMPTS);

  /** Returns the turn of a request that has begun: 1 for the first, -1 if that cannot be known. */
  int turn(Request request) {
    int stated = request.turn();
    if (stated >= 0 || request.blocks() < 2) {
      return stated;
    }
    int turn = 1 + before(request);
    end(request.fingerprint(request.blocks() - 1), turn);
    end(request.fingerprint(request.blocks() - 2), turn);
    return turn;
  }

  /** Returns the turn that a prompt continues; 0 if none. */
  private int before(Request request) {
    for (int i = request.blocks() - 1; i >= Math.max(0, request.matched() - 1); i--) {
      long turn = ends.value(request.fingerprint(i), 0);
      if (turn > 0) {
        ends.add(request.fingerprint(i), turn | CONTINUED);
        return turn < CONTINUED ? (int) turn : 0;
      }
    }
    return 0;
  }

  private void end(long fingerprint, int turn) {
    ends.add(fingerprint, turn | (ends.value(fingerprint, 0) & CONTINUED));
  }
}
