package dev.ebb.llama.server;

import dev.ebb.host.http.Json;
import dev.ebb.host.http.Reply;
import dev.ebb.host.scheduler.EndReason;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Sends one answer to its client. While there is nothing to send, it writes characters without
 * meaning now and then, because only a failed write shows that a client has disconnected. The
 * completion is then cancelled.
 */
final class CompletionOutput {

  /** The longest time without a write. */
  static final Duration PATIENCE = Duration.ofMillis(500);

  private static final String DONE = "data: [DONE]\n\n";
  private static final String COMMENT = ":\n\n";
  private static final String SPACE = " ";

  private final LlamaEngine engine;
  private final Completion completion;
  private final CompletionDocuments documents;
  private final StringBuilder text = new StringBuilder();

  CompletionOutput(LlamaEngine engine, Completion completion, CompletionDocuments documents) {
    this.engine = engine;
    this.completion = completion;
    this.documents = documents;
  }

  /** Writes the body. */
  private interface Writer {
    void writeTo(OutputStream out) throws IOException, InterruptedException;
  }

  private Reply.Stream output(String type, Writer writer) {
    return new Reply.Stream(
        type,
        new Reply.Output() {
          @Override
          public void writeTo(OutputStream out) throws IOException, InterruptedException {
            writer.writeTo(out);
          }

          @Override
          public void close() {
            engine.cancel(completion);
          }
        });
  }

  /** Returns the answer as a stream of events. */
  Reply stream(boolean usage) {
    return output("text/event-stream", out -> writeEvents(out, usage));
  }

  private void writeEvents(OutputStream out, boolean usage)
      throws IOException, InterruptedException {
    String first = documents.first();
    if (first != null) {
      event(out, first);
    }
    while (true) {
      switch (completion.next(PATIENCE)) {
        case Completion.Text part -> event(out, documents.chunk(part.text()));
        case Completion.Ended ended -> {
          writeEnd(out, ended, usage);
          return;
        }
        case Completion.Started again -> {}
        case null -> write(out, COMMENT);
      }
    }
  }

  private void writeEnd(OutputStream out, Completion.Ended ended, boolean usage)
      throws IOException {
    if (ended.reason() != EndReason.FINISHED) {
      event(out, failure(ended));
    } else {
      event(out, documents.last(ended));
      if (usage) {
        event(out, documents.usageChunk(ended));
      }
    }
    write(out, DONE);
  }

  /** Returns the answer as one document; as soon as it is complete, if that is soon. */
  Reply whole() throws InterruptedException {
    Completion.Ended ended = collect();
    if (ended == null) {
      return output("application/json", this::writeWhole);
    }
    return ended.reason() == EndReason.FINISHED
        ? Reply.text("application/json", documents.whole(text.toString(), ended) + "\n")
        : CompletionRoutes.refused(ended);
  }

  private void writeWhole(OutputStream out) throws IOException, InterruptedException {
    Completion.Ended ended = null;
    while (ended == null) {
      write(out, SPACE);
      ended = collect();
    }
    boolean finished = ended.reason() == EndReason.FINISHED;
    write(out, finished ? documents.whole(text.toString(), ended) : failure(ended));
  }

  /** Collects text until the answer ends; returns null if it has not ended in time. */
  private Completion.@Nullable Ended collect() throws InterruptedException {
    long start = System.nanoTime();
    Duration left = PATIENCE;
    while (left.isPositive()) {
      switch (completion.next(left)) {
        case Completion.Text part -> text.append(part.text());
        case Completion.Ended ended -> {
          return ended;
        }
        case Completion.Started again -> {}
        case null -> {}
      }
      left = PATIENCE.minusNanos(System.nanoTime() - start);
    }
    return null;
  }

  /** Describes a failure after the status was sent. */
  private static String failure(Completion.Ended ended) {
    return Json.text(OpenAiError.of(500, ended.message(), "failed").document());
  }

  private static void event(OutputStream out, String document) throws IOException {
    write(out, "data: " + document + "\n\n");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
