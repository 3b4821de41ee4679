package dev.ebb.host.client;

import dev.ebb.host.errors.ConnectFailures;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Creates the errors of failed calls, with the remedy. */
final class CallFailures {

  private static final String ELSEWHERE =
      "start one with 'ebb serve', or say with --url where it is";

  private final ServerAddress server;
  private final Duration timeout;

  CallFailures(ServerAddress server, Duration timeout) {
    this.server = server;
    this.timeout = timeout;
  }

  UserError unreachable(IOException failed) {
    if (ConnectFailures.isUnknownHost(failed)) {
      return new UserError(
          "no such host '%s'; say with --url where Ebb is".formatted(server.base().getHost()));
    }
    if (failed instanceof HttpConnectTimeoutException || failed instanceof ConnectException) {
      return new UserError("no Ebb listens at '%s'; %s".formatted(server, ELSEWHERE));
    }
    if (failed instanceof HttpTimeoutException) {
      return new UserError(
          "'%s' did not answer within %d s; give it longer with --timeout"
              .formatted(server, timeout.toSeconds()));
    }
    if (failed instanceof SSLException) {
      return new UserError(
          "no TLS connection to '%s': %s; name with --cacert who certified the server, and with --cert and --key your certificate if it needs one"
              .formatted(server, reason(failed)));
    }
    return new UserError(
        "the connection to '%s' broke; does it still run, and is it Ebb's admin port?%s"
            .formatted(server, server.encrypted() ? "" : " If it uses TLS, write https"));
  }

  UserError notEncrypted() {
    return new UserError(
        "'%s' speaks http, not https; write --url %s"
            .formatted(server, server.toString().replaceFirst("(?i)^https:", "http:")));
  }

  UserError foreign(String call, int status) {
    return new UserError(
        "what listens at '%s' is not the admin port of an Ebb: it answered %s with status %d and no JSON; %s"
            .formatted(server, call, status, ELSEWHERE));
  }

  /** Returns the error for a document that lacks a property this command needs. */
  UserError otherVersion(String call, JacksonException differs) {
    return new UserError(
        "the answer of '%s' to %s is of another version than this command: %s; use the 'ebb' of the server's version"
            .formatted(server, call, differs.getOriginalMessage()));
  }

  /** Returns the error for a request that Ebb rejected. */
  UserError refused(String call, int status, JsonNode document) {
    String error = document.path("error").asString("");
    if (status == 401) {
      return new UserError(
          server.token() == null
              ? "'%s' wants a token; set EBB_ADMIN_TOKEN, or give --token".formatted(server)
              : "'%s' does not take this token; ebb.admin.token of its configuration is the right one"
                  .formatted(server));
    }
    if (error.isEmpty()) {
      return foreign(call, status);
    }
    if ((status == 404 && error.startsWith("no such path")) || status == 405) {
      return new UserError(
          "the Ebb at '%s' does not know %s: it is of another version than this command, or serves something else"
              .formatted(server, call));
    }
    return new UserError(error);
  }

  /** Returns the innermost message, such as that of the check of a certificate. */
  private static String reason(Throwable failed) {
    Throwable inner = failed;
    while (inner.getCause() != null && inner.getCause().getMessage() != null) {
      inner = inner.getCause();
    }
    return String.valueOf(inner.getMessage());
  }
}
