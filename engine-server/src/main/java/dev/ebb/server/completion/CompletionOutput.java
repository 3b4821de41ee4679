package dev.ebb.server.completion;

import dev.ebb.host.http.Reply;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.openai.OpenAiJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the answers of a request to its client. While there is nothing to send, it writes
 * characters without meaning now and then, because only a failed write shows that a client has
 * disconnected. The request is then cancelled.
 */
final class CompletionOutput {

  /** The longest time without a write. */
  static final Duration PATIENCE = Duration.ofMillis(500);

  private static final String DONE = "data: [DONE]\n\n";
  private static final String COMMENT = ":\n\n";
  private static final String SPACE = " ";

  private final Answers answers;
  private final CompletionDocuments documents;

  /** What came before the status was known. */
  private final List<Answers.Part> early;

  CompletionOutput(Answers answers, CompletionDocuments documents, List<Answers.Part> early) {
    this.answers = answers;
    this.documents = documents;
    this.early = early;
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
            answers.cancel();
          }
        });
  }

  /** Returns the answers as a stream of events. */
  Reply stream(boolean usage) {
    return output("text/event-stream", out -> writeEvents(out, usage));
  }

  private void writeEvents(OutputStream out, boolean usage)
      throws IOException, InterruptedException {
    for (String first : documents.first(answers)) {
      event(out, first);
    }
    for (Answers.Part part : early) {
      write(out, part);
    }
    List<Answers.Part> parts = new ArrayList<>();
    while (!answers.done()) {
      if (!answers.await(PATIENCE, parts)) {
        write(out, COMMENT);
      }
      for (Answers.Part part : parts) {
        write(out, part);
      }
      parts.clear();
    }
    Completion.Ended failure = answers.failure();
    if (failure != null) {
      event(out, failure(failure));
    } else if (usage) {
      event(out, documents.usageChunk(answers));
    }
    write(out, DONE);
  }

  private void write(OutputStream out, Answers.Part part) throws IOException {
    if (!part.text().isEmpty() || !part.logprobs().isEmpty()) {
      event(out, documents.chunk(part));
    }
    if (part.last() && answers.failure() == null) {
      if (!part.answer().calls().isEmpty()) {
        event(out, documents.callsChunk(part.answer()));
      }
      event(out, documents.last(part.answer()));
    }
  }

  /** Returns the answers as one document; as soon as they are complete, if that is soon. */
  Reply whole() throws InterruptedException {
    if (!collect()) {
      return output("application/json", this::writeWhole);
    }
    Completion.Ended failure = answers.failure();
    if (failure != null) {
      answers.cancel();
      return CompletionRoutes.refused(failure);
    }
    return Reply.text("application/json", documents.whole(answers) + "\n");
  }

  private void writeWhole(OutputStream out) throws IOException, InterruptedException {
    do {
      write(out, SPACE);
    } while (!collect());
    Completion.Ended failure = answers.failure();
    write(out, failure == null ? documents.whole(answers) : failure(failure));
  }

  /** Collects text until the answers end; returns whether they have ended in time. */
  private boolean collect() throws InterruptedException {
    long start = System.nanoTime();
    Duration left = PATIENCE;
    while (!answers.done() && left.isPositive()) {
      answers.await(left, new ArrayList<>());
      left = PATIENCE.minusNanos(System.nanoTime() - start);
    }
    return answers.done();
  }

  /** Describes a failure after the status was sent. */
  private static String failure(Completion.Ended ended) {
    return OpenAiJson.text(ApiError.of(500, ended.message(), "failed"));
  }

  private static void event(OutputStream out, String document) throws IOException {
    write(out, "data: " + document + "\n\n");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
