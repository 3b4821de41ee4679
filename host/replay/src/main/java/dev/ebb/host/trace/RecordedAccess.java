package dev.ebb.host.trace;

import org.jspecify.annotations.Nullable;

/**
 * One access to a cache of objects, as a request of a trace: of one block, a token long.
 *
 * @param timestampNanos since the recording began
 * @param ids the one id
 * @param tenant its tenant; null if unknown
 */
@SuppressWarnings("ArrayRecordComponent")
public record RecordedAccess(long timestampNanos, long[] ids, @Nullable String tenant)
    implements TraceRequest {

  @Override
  public long inputTokens() {
    return 1;
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
    return 1;
  }
}
