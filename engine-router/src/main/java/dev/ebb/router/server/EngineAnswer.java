package dev.ebb.router.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ebb.host.openai.ApiError;
import dev.ebb.host.openai.CompletionAnswer;
import dev.ebb.host.openai.CompletionAnswer.Timings;
import dev.ebb.host.openai.CompletionAnswer.Usage;
import dev.ebb.host.openai.OpenAiJson;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** The body of an engine's answer on its way to the client. Reads the usage in it. */
final class EngineAnswer implements AutoCloseable {

  private static final int MOST_KEPT = 8 << 20;
  private static final String DATA = "data:";

  private final InputStream in;
  private final boolean events;
  private final boolean hidesUsage;
  private final byte[] buffer = new byte[16 << 10];

  /** The bytes of the buffer that were read and not written. */
  private int from;

  private int to;

  /** The current line of a stream of events, or the document. */
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  /** The event of the usage is skipped until its empty line. */
  private boolean skipping;

  private @Nullable CompletionAnswer usage;

  /**
   * Creates the answer.
   *
   * @param events whether it is a stream of events, otherwise one document
   * @param hidesUsage whether the client has not asked for the event with the usage
   */
  EngineAnswer(InputStream in, boolean events, boolean hidesUsage) {
    this.in = in;
    this.events = events;
    this.hidesUsage = hidesUsage;
  }

  /**
   * Waits for the first byte that means something. Blanks and comments, with which engines keep
   * connections open, are dropped.
   *
   * @throws IOException if the answer ends before
   */
  void awaitBeginning() throws IOException {
    boolean comment = false;
    while (true) {
      for (; from < to; from++) {
        byte next = buffer[from];
        if (next == '\n') {
          comment = false;
        } else if (events && next == ':') {
          comment = true;
        } else if (!comment && next > ' ') {
          return;
        }
      }
      if (!read()) {
        throw new EOFException("the engine has closed the connection");
      }
    }
  }

  private boolean read() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }

  /**
   * Writes the answer. If the engine fails meanwhile, a stream ends with an error, and a document
   * in its middle.
   *
   * @return the failure of the engine; null if the answer is complete
   * @throws IOException if the client is gone
   */
  @Nullable IOException copyTo(OutputStream out) throws IOException {
    IOException failure = null;
    boolean more = true;
    while (more) {
      write(out);
      out.flush();
      try {
        more = read();
      } catch (IOException failed) {
        failure = failed;
        more = false;
      }
    }
    if (failure == null) {
      look();
      kept.writeTo(events ? out : OutputStream.nullOutputStream());
    } else if (events) {
      ApiError error = ApiError.of(502, "the engine failed: " + failure.getMessage(), "failed");
      out.write(("data: " + OpenAiJson.text(error) + "\n\n").getBytes(UTF_8));
    }
    out.flush();
    return failure;
  }

  private void write(OutputStream out) throws IOException {
    if (!events) {
      out.write(buffer, from, to - from);
      kept.write(buffer, from, kept.size() < MOST_KEPT ? to - from : 0);
      return;
    }
    for (int i = from; i < to; i++) {
      kept.write(buffer[i]);
      if (buffer[i] == '\n' || kept.size() == MOST_KEPT) {
        if (!isHidden()) {
          kept.writeTo(out);
        }
        kept.reset();
      }
    }
  }

  /** Returns whether a line belongs to the event with the usage, which only the router wants. */
  private boolean isHidden() {
    boolean ends = kept.size() <= 2;
    boolean hidden = skipping || (!ends && look() && hidesUsage);
    skipping = hidden && !ends;
    return hidden;
  }

  /** Reads the usage; returns whether there is nothing else. */
  private boolean look() {
    String text = kept.toString(UTF_8);
    if (!text.contains("\"usage\"") || !text.contains("\"prompt_tokens\"")) {
      return false;
    }
    try {
      CompletionAnswer read =
          OpenAiJson.answer(
              text.startsWith(DATA) ? text.substring(DATA.length()) : text, CompletionAnswer.class);
      usage = read.usage() == null ? usage : read;
      return read.choices() == null || read.choices().isEmpty();
    } catch (JacksonException other) {
      return false;
    }
  }

  /** Returns the tokens of the prompt; 0 if the engine has not reported them. */
  long promptTokens() {
    Usage read = usage == null ? null : usage.usage();
    Long tokens = read == null ? null : read.promptTokens();
    return tokens == null ? 0 : tokens;
  }

  /** Returns the cached tokens of the prompt; -1 if the engine has not reported them. */
  long cachedTokens() {
    Usage read = usage == null ? null : usage.usage();
    if (read != null && read.promptTokensDetails() != null) {
      Long cached = read.promptTokensDetails().cachedTokens();
      return cached == null ? 0 : cached;
    }
    Timings timings = usage == null ? null : usage.timings();
    Long cached = timings == null ? null : timings.cacheN();
    return cached == null ? -1 : cached;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
