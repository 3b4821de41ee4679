package dev.ebb.host.trace;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.files.PartFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Saves requests as {@link TraceReader} reads them: one JSON object a line, in the Mooncake format
 * with the optional fields that are known. Packs the file if its name ends in {@code .gz}.
 *
 * <p>The file appears, or replaces an older one, when the writer is closed after {@link #finish()};
 * otherwise it is not touched.
 */
public final class TraceWriter implements AutoCloseable {

  private static final int BUFFER = 1 << 16;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final JsonFactory JSON = JsonFactory.builder().rootValueSeparator("\n").build();

  private final Path file;
  private final PartFile part;
  private final JsonGenerator json;
  private boolean finished;

  /**
   * Creates a writer to a temporary file beside the target.
   *
   * @throws TraceException if it cannot be written
   */
  public TraceWriter(Path file) {
    this.file = file;
    this.part = new PartFile(file);
    try {
      OutputStream out = new BufferedOutputStream(Files.newOutputStream(part.path()), BUFFER);
      json =
          JSON.createGenerator(
              ObjectWriteContext.empty(),
              file.toString().endsWith(".gz") ? new GZIPOutputStream(out, BUFFER) : out);
    } catch (IOException e) {
      part.close();
      throw unwritable(e);
    }
  }

  /**
   * Writes one request.
   *
   * @throws TraceException if it cannot be written
   */
  public void write(TraceRequest request) {
    write(request, 0);
  }

  /**
   * Writes one request for an object of known size.
   *
   * @param sizeBytes the object's size; 0 if unknown
   * @throws TraceException if it cannot be written
   */
  public void write(TraceRequest request, long sizeBytes) {
    try {
      json.writeStartObject();
      timestamp(request.timestampNanos());
      json.writeNumberProperty("input_length", request.inputTokens());
      known("output_length", request.outputTokens(), TraceRequest.UNKNOWN);
      known("session_id", request.sequenceId(), TraceRequest.UNKNOWN);
      known("turn", request.turn(), TraceRequest.UNKNOWN);
      known("tenant", request.tenant());
      known("workload", request.workload());
      known("priority", request.priority(), TraceRequest.NORMAL_PRIORITY);
      known("hint", request.hint(), 0);
      known("finish_reason", request.finishReason());
      known("model", request.model());
      known("return_after_s", seconds(request.returnNanos()));
      known("lifetime", seconds(request.lifetimeNanos()));
      known("recompute_cost", request.recomputeCost());
      known("object_groups", request.groups());
      known("size", sizeBytes, 0);
      json.writeName("hash_ids");
      json.writeArray(request.ids(), request.from(), request.blocks());
      json.writeEndObject();
    } catch (JacksonException e) {
      throw unwritable(e);
    }
  }

  /**
   * Returns the size of the file so far, without buffered bytes.
   *
   * @throws TraceException if it has been deleted
   */
  public long bytes() {
    try {
      return Files.size(part.path());
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  /**
   * Moves the file to its target. Nothing can be written after.
   *
   * @throws TraceException if that fails
   */
  public void finish() {
    try {
      json.writeRaw('\n');
      json.close();
      part.commit();
      finished = true;
    } catch (IOException | JacksonException e) {
      throw unwritable(e);
    }
  }

  @Override
  public void close() {
    try {
      if (!finished) {
        json.close();
      }
    } catch (JacksonException e) {
      // The temporary file is deleted in any case.
    } finally {
      part.close();
    }
  }

  private void timestamp(long nanos) {
    if (nanos % NANOS_PER_MILLI == 0) {
      json.writeNumberProperty("timestamp", nanos / NANOS_PER_MILLI);
    } else {
      json.writeNumberProperty("timestamp", (double) nanos / NANOS_PER_MILLI);
    }
  }

  private void known(String field, long value, long unknown) {
    if (value != unknown) {
      json.writeNumberProperty(field, value);
    }
  }

  private void known(String field, @Nullable String value) {
    if (value != null) {
      json.writeStringProperty(field, value);
    }
  }

  private void known(String field, double value) {
    if (!Double.isNaN(value)) {
      json.writeNumberProperty(field, value);
    }
  }

  private static double seconds(long nanos) {
    return nanos == TraceRequest.UNKNOWN ? Double.NaN : nanos / NANOS_PER_SECOND;
  }

  private TraceException unwritable(Exception e) {
    return new TraceException(
        "trace '%s' cannot be written: %s; choose another path".formatted(file, Reasons.of(e)));
  }
}
