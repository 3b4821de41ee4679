package dev.ebb.host.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of the API. Requests are checked against this declaration, and the OpenAPI document is
 * generated from it.
 *
 * @param method the HTTP method in capitals
 * @param path starts with a slash; a part in braces matches any single path part
 * @param body the properties of the body; null if it takes none
 */
public record Operation(
    String method,
    String path,
    String summary,
    Access access,
    List<Field> query,
    @Nullable List<Field> body,
    int maxBodyBytes,
    Answer answer) {

  private static final int MAX_BODY = 64 << 10;
  private static final int MAX_QUESTION = 1 << 20;

  public enum Access {
    /** None, because it exposes no cache contents. */
    OPEN,
    /** The token, if there is one. */
    READ,
    /** The token, if there is one. The call is logged, because it may change something. */
    CHANGE
  }

  /**
   * A successful answer.
   *
   * @param status 200 to 299
   * @param document the type that is written as JSON; null if the body is not JSON
   */
  public record Answer(int status, String type, @Nullable Class<?> document) {}

  public Operation {
    query = List.copyOf(query);
    body = body == null ? null : List.copyOf(body);
  }

  private static Operation of(String method, String path, Class<?> document, String summary) {
    boolean get = method.equals("GET");
    return new Operation(
        method,
        path,
        summary,
        get ? Access.READ : Access.CHANGE,
        List.of(),
        get || method.equals("DELETE") ? null : List.of(),
        MAX_BODY,
        new Answer(200, "application/json", document));
  }

  public static Operation get(String path, Class<?> document, String summary) {
    return of("GET", path, document, summary);
  }

  /** Returns an operation that reads something other than JSON. */
  public static Operation page(String path, String type, String summary) {
    return get(path, Void.class, summary).answers(new Answer(200, type, null));
  }

  public static Operation post(String path, Class<?> document, String summary) {
    return of("POST", path, document, summary);
  }

  public static Operation put(String path, Class<?> document, String summary) {
    return of("PUT", path, document, summary);
  }

  public static Operation patch(String path, Class<?> document, String summary) {
    return of("PATCH", path, document, summary);
  }

  public static Operation delete(String path, Class<?> document, String summary) {
    return of("DELETE", path, document, summary);
  }

  public Operation query(Field... parameters) {
    return new Operation(
        method, path, summary, access, List.of(parameters), body, maxBodyBytes, answer);
  }

  public Operation body(Field... properties) {
    return new Operation(
        method, path, summary, access, query, List.of(properties), maxBodyBytes, answer);
  }

  /** Returns the same operation with another status of success. */
  public Operation status(int status) {
    return answers(new Answer(status, answer.type(), answer.document()));
  }

  private Operation answers(Answer other) {
    return new Operation(method, path, summary, access, query, body, maxBodyBytes, other);
  }

  /** Returns the same operation without a token. */
  public Operation open() {
    return new Operation(method, path, summary, Access.OPEN, query, body, maxBodyBytes, answer);
  }

  /**
   * Returns the same operation as one that changes nothing: its question is too long for a path. It
   * accepts a body of 1 MiB.
   */
  public Operation question() {
    return new Operation(method, path, summary, Access.READ, query, body, MAX_QUESTION, answer);
  }

  /** Returns the same operation with a body of bytes, and not of JSON. */
  public Operation bytes(int most) {
    return new Operation(method, path, summary, access, query, null, most, answer);
  }

  /** Returns the same operation with a larger body. */
  public Operation upTo(int most) {
    return new Operation(method, path, summary, access, query, body, most, answer);
  }

  @Override
  public String toString() {
    return method + " " + path;
  }
}
