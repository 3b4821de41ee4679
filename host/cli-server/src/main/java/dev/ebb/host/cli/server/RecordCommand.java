package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.RecordingDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.Format;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.host.trace.TraceWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb record}: records the live traffic as a trace. */
@Command(
    name = "record",
    description =
        "Records the requests of a running Ebb's clients as a trace for 'ebb replay'; keys are"
            + " hashed, and tenants are numbers",
    footer = {
      "  ebb record --output live.jsonl.gz --duration 10m",
      "  ebb record --output live.jsonl.gz --max-size '100 MiB'",
      "  ebb record --output live.jsonl --requests 100000 --json"
    })
public final class RecordCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final int CHECK_EVERY = 64;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(36_500);

  @Option(
      names = "--output",
      required = true,
      paramLabel = "FILE",
      description =
          "The trace; packed if the name ends in .gz. An existing file is not overwritten")
  private String output;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      defaultValue = "10m",
      description = "How long: 90s, 10m, 2h, or seconds; by default 10m")
  private String duration;

  @Option(
      names = "--max-size",
      paramLabel = "SIZE",
      defaultValue = "1 GiB",
      description = "Ends at this file size; by default '1 GiB'")
  private String maxSize;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "Ends after this many requests; no limit by default")
  private @Nullable Long requests;

  private record Result(String file, long requests, long lost, String end) {}

  /** How far it is. */
  private static final class Progress implements AutoCloseable {
    private @Nullable TraceWriter writer;
    private long written;
    private long lost;
    private long pieces;
    private String end = "";

    TraceWriter begun(Path file) {
      if (writer == null) {
        writer = new TraceWriter(file);
      }
      return writer;
    }

    @Override
    public void close() {
      if (writer != null) {
        writer.close();
      }
    }
  }

  @Override
  public Integer call() {
    Duration time = time();
    long bytes = server.bytes("--max-size", maxSize, "1 GiB");
    if (requests != null) {
      server.between("--requests", requests, 1, Long.MAX_VALUE);
    }
    Path file = server.usage(() -> new OutputFile(output, "--output").mustBeNew().path());
    Progress progress = new Progress();
    long until = System.nanoTime() + time.toNanos();
    try (AdminClient client = server.open()) {
      client.events(
          "/api/v1/recording",
          RecordingDocument.class,
          data -> {
            // The server sends an empty chunk immediately. From then on no access is missed.
            TraceWriter writer = progress.begun(file);
            write(data, writer, progress);
            progress.end = end(progress, writer, until, bytes);
            return progress.end.isEmpty();
          });
      progress.begun(file).finish();
    } finally {
      progress.close();
    }
    report(progress, file);
    return 0;
  }

  private void write(RecordingDocument piece, TraceWriter writer, Progress progress) {
    progress.lost = piece.lost();
    progress.pieces++;
    for (long[] each : piece.accesses()) {
      if (requests != null && progress.written == requests) {
        return;
      }
      String tenant = each[2] == 0 ? null : String.valueOf(each[2]);
      long[] ids = Arrays.copyOfRange(each, RecordingDocument.IDS, each.length);
      TraceRequest access = TraceRequest.access(each[0], ids, tenant);
      access.groups = each[3] == 0 ? null : piece.groups().get((int) each[3] - 1);
      writer.write(access, each[1]);
      progress.written++;
    }
  }

  /** Returns why the recording is over, empty if it is not. */
  private String end(Progress progress, TraceWriter writer, long until, long bytes) {
    if (requests != null && progress.written == requests) {
      return "all requests wanted";
    }
    if (progress.pieces % CHECK_EVERY == 0 && writer.bytes() >= bytes) {
      return "the file has reached its maximum size";
    }
    return System.nanoTime() - until >= 0 ? "the duration has passed" : "";
  }

  private void report(Progress progress, Path file) {
    if (server.wantsJson()) {
      server.print(
          Json.text(new Result(file.toString(), progress.written, progress.lost, progress.end)));
      return;
    }
    server.print(
        "%s in '%s': %s"
            .formatted(Format.count(progress.written, "request", "requests"), file, progress.end));
    if (progress.lost > 0) {
      server.print(
          Format.count(progress.lost, "is", "are") + " missing: this command was too slow");
    }
  }

  private Duration time() {
    return server.usage(() -> Usage.time("--duration", duration, SHORTEST, LONGEST));
  }
}
