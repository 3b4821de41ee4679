package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves the sequences of engines in other processes. */
public interface SequenceService {

  /** A server without memory for sequences. */
  SequenceService NONE =
      () -> {
        throw new CommandException(
            "ERR 'ebb.seq' needs memory for sequences; set ebb.server.sequences.memory");
      };

  /** Fails if there is no memory for sequences. */
  Client connect() throws CommandException;

  /** Removes what is cached of sequences and not in use. Does not block, and never fails. */
  default CompletionStage<Boolean> clear() {
    return CompletableFuture.completedStage(true);
  }

  /** One connection, whose commands are executed one after the other. */
  interface Client extends AutoCloseable {

    /**
     * Executes a command without blocking its caller.
     *
     * @param words the words behind {@code EBB.SEQ}, at least one
     * @param tenant the tenant of the user; null if it has none
     * @return completes with a number, bytes, a text, or a list of these; or fails, with {@link
     *     CommandException} if the command is refused
     */
    CompletionStage<Object> run(List<byte[]> words, @Nullable String tenant);

    /** Returns whether the client has open sequences, whose memory it uses. */
    boolean holdsMemory();

    /** Aborts the open sequences, after the current command. Returns immediately. */
    @Override
    void close();
  }
}
