package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.http.Json;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** The route that describes all others. An embedded engine has fewer calls than a server. */
final class ApiRoutes {

  /** Generated from the operations by a test, which has the annotations for null values. */
  static final String DOCUMENT = "openapi.json";

  private final Routes described;

  ApiRoutes(Routes described) {
    this.described = described;
  }

  void addTo(Routes routes) {
    routes.add(
        Operation.get(
            "/api/v1/openapi.json",
            ObjectNode.class,
            "an OpenAPI 3.1 document of all calls of this process"),
        this::show);
  }

  private Reply show(ServerRequest request) {
    request.query();
    ObjectNode document = requireNonNull(Json.read(text(), ObjectNode.class));
    ObjectNode paths = (ObjectNode) document.get("paths");
    for (String path : List.copyOf(paths.propertyNames())) {
      ObjectNode operations = (ObjectNode) paths.get(path);
      for (String method : List.copyOf(operations.propertyNames())) {
        if (!isServed(method, path)) {
          operations.remove(method);
        }
      }
      if (operations.isEmpty()) {
        paths.remove(path);
      }
    }
    return Reply.json(document);
  }

  private boolean isServed(String method, String path) {
    return described.operations().stream()
        .anyMatch(each ->
            each.method().toLowerCase(Locale.ROOT).equals(method) && each.path().equals(path));
  }

  private static String text() {
    try (InputStream in = ApiRoutes.class.getResourceAsStream(DOCUMENT)) {
      return new String(requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
