package dev.ebb.helm;

import io.kubernetes.client.openapi.JSON;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The schemas of Kubernetes' OpenAPI document, as its Java client has them: they refuse unknown and
 * missing fields, and values of another type.
 */
final class Schemas {

  private static final Map<String, String> CLASSES =
      Map.of(
          "v1", "V1",
          "apps/v1", "V1",
          "policy/v1", "V1",
          "networking.k8s.io/v1", "V1",
          "rbac.authorization.k8s.io/v1", "V1",
          "autoscaling/v2", "V2");

  /** The fields of the Prometheus operator's resources that the chart may use. */
  private static final Map<String, Set<String>> OPERATOR =
      Map.of("ServiceMonitor", Set.of("selector", "endpoints"), "PrometheusRule", Set.of("groups"));

  private Schemas() {}

  /** Throws an exception if a document does not match its schema. */
  static void check(JsonNode document) throws ClassNotFoundException {
    String kind = document.path("kind").asString();
    String version = document.path("apiVersion").asString();
    if (version.equals("monitoring.coreos.com/v1")) {
      if (!Set.copyOf(document.path("spec").propertyNames()).equals(OPERATOR.get(kind))) {
        throw new IllegalArgumentException(kind + " has other fields");
      }
      return;
    }
    String prefix = CLASSES.get(version);
    if (prefix == null) {
      throw new IllegalArgumentException("unknown version '" + version + "'");
    }
    Class<?> model = Class.forName("io.kubernetes.client.openapi.models." + prefix + kind);
    JSON.deserialize(document.toString(), model);
  }
}
