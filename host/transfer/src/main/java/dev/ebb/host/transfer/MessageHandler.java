package dev.ebb.host.transfer;

/** Answers the small messages of other nodes. */
@FunctionalInterface
public interface MessageHandler {

  /**
   * Answers a message. Called on threads of the server, several at a time. The caller gets the
   * message of an exception, but not its stack trace.
   *
   * @param message up to 16 MiB
   * @return the reply, up to 16 MiB
   */
  byte[] handle(byte[] message);
}
