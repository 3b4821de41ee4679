package dev.ebb.host.trace;

import org.jspecify.annotations.Nullable;

/**
 * A recorded access, of an object or of the chunks of a prompt, as a request of a trace: each is a
 * block, a token long.
 *
 * @param timestampNanos since the recording began
 * @param ids those of the blocks, front to back
 * @param tenant its tenant; null if unknown
 */
@SuppressWarnings("ArrayRecordComponent")
public record RecordedAccess(long timestampNanos, long[] ids, @Nullable String tenant)
    implements TraceRequest {

  @Override
  public long inputTokens() {
    return ids.length;
  }

  @Override
  public long outputTokens() {
    return UNKNOWN;
  }

  @Override
  public int from() {
    return 0;
  }

  @Override
  public int blocks() {
    return ids.length;
  }
}
