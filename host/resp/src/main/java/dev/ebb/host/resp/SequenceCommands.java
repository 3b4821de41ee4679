package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.resp.session.CommandException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The command EBB.SEQ of a connection, which another module executes. */
final class SequenceCommands extends SessionCommands implements AutoCloseable {

  private final SequenceService service;
  private SequenceService.@Nullable Client client;

  SequenceCommands(Commands on) {
    super(on);
    service = on.connections.sequences;
  }

  void run(List<byte[]> words) throws CommandException {
    if (!session.unix) {
      throw new CommandException(
          "ERR 'ebb.seq' needs a connection over the Unix domain socket; connect to"
              + " ebb.server.unix-socket");
    }
    SequenceService.Client connected = client;
    if (connected == null) {
      connected = service.connect();
      client = connected;
    }
    // The connection reuses its list of arguments.
    List<byte[]> command = List.copyOf(words.subList(1, words.size()));
    remote.await(
        connected
            .run(command, requireNonNull(session.user).tenant)
            .handle((answer, failure) -> failure == null ? answer : failure),
        this::reply);
  }

  private void reply(Object answer) throws CommandException {
    switch (answer) {
      case CompletionException failure -> reply(requireNonNull(failure.getCause()));
      case CommandException refused -> throw refused;
      case RuntimeException failure -> throw failure;
      case Throwable failure -> throw new IllegalStateException(failure);
      default -> replies.value(answer);
    }
  }

  boolean holdsMemory() {
    return client != null && client.holdsMemory();
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
