package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.ReplayJson;
import dev.ebb.host.replay.ReplayResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Appends each run to a file when it ends, so that an interrupted replay keeps what it found. */
record RunLog(@Nullable OutputFile file) implements Consumer<ReplayResult> {

  @Override
  public synchronized void accept(ReplayResult run) {
    if (file == null) {
      return;
    }
    try {
      Files.writeString(
          file.path(),
          ReplayJson.line(run) + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UserError("--log-runs: '%s' cannot be written: %s".formatted(file, Reasons.of(e)));
    }
  }
}
