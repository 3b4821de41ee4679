package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The command EBB.SEQ of a connection, which another module executes. */
final class SequenceCommands implements AutoCloseable {

  private final SequenceService service;
  private final Session session;
  private final Replies replies;
  private final RemoteAccess waiting;
  private SequenceService.@Nullable Client client;

  SequenceCommands(Commands on) {
    service = on.connections.sequences;
    session = on.session;
    replies = on.replies;
    waiting = on.remote;
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
    waiting.await(
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
