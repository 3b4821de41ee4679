package dev.ebb.host.errors;

import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;

/** Explains why the JDK's HTTP client could not reach a server. */
public final class ConnectFailures {

  private ConnectFailures() {}

  /** Returns whether the name of the host is unknown, which the client reports as a cause. */
  public static boolean isUnknownHost(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return true;
      }
    }
    return false;
  }

  /** Returns why a server could not be reached, or its answer ended, as a text for users. */
  public static String reason(Throwable failed) {
    if (failed instanceof ConnectException) {
      return isUnknownHost(failed) ? "its name cannot be resolved" : "the connection is refused";
    }
    String message = failed.getMessage();
    return message == null ? failed.getClass().getSimpleName() : message;
  }
}
