package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.EbbConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What Helm makes of the chart, and Kubernetes of that. */
class ChartTest {

  @TempDir private Path directory;

  @Test
  void helmFindsNoMistake() {
    LintResult result = new Helm(Chart.FOLDER).lint().strict().call();

    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("dev.ebb.helm.ValueSets#all")
  void everyDocumentMatchesItsSchema(String values) throws ClassNotFoundException {
    for (JsonNode document : Chart.render(values).documents()) {
      Schemas.check(document);
      assertThat(document.at("/metadata/name").asString()).hasSizeLessThan(64);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.ebb.helm.ValueSets#all")
  void everyConfigurationIsValid(String values) throws IOException {
    Path included = Files.createFile(directory.resolve("included.conf"));
    String text =
        Chart.render(values)
            .configuration()
            .replaceAll("\\$\\{EBB_\\w+}", "text-of-an-environment-variable")
            .replaceAll("file\\(\"[^\"]+\"\\)", "file(\"" + included + "\")");
    Path file = Files.writeString(directory.resolve("ebb.conf"), text);

    EbbConfig config = new ConfigLoader(directory, directory).load(file).orThrow();

    assertThat(config.cluster().enabled()).isEqualTo(values.startsWith("mode: pool"));
    assertThat(config.server().unixSocket() == null).isEqualTo(values.startsWith("mode: pool"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{selector: {}, template: {spec: {container: []}}}",
        "{selector: {}, template: {spec: {containers: [{name: a, livenessProbes: {}}]}}}",
        "{selector: {}, replicas: three, template: {}}",
        "{template: {}}"
      })
  void theSchemasRefuseWhatKubernetesRefuses(String spec) {
    JsonNode document =
        Chart.documents("{apiVersion: apps/v1, kind: StatefulSet, spec: %s}".formatted(spec))
            .getFirst();

    assertThatThrownBy(() -> Schemas.check(document)).isInstanceOf(RuntimeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mode: cluster",
        "replicas: 3",
        "pool: {size: 8Gi}",
        "pool: {sizeGiB: 0}",
        "cluster: {copies: 5}",
        "image: {digest: latest}",
        "node: {socketFolder: run/ebb}",
        "disk: {hostFolder: '/disk, x = 1'}",
        "plugins: {copyFrom: [{image: a}]}",
        "monitoring: {rules: 'yes'}",
        "cpu: 2 cores",
        "mode: null"
      })
  void wrongValuesAreRefused(String values) {
    assertThatThrownBy(() -> Chart.render(values)).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @MethodSource("dev.ebb.helm.ValueSets#all")
  void containersHaveNoMoreRightsThanTheyNeed(String values) {
    JsonNode pod = Chart.render(values).pod();

    assertThat(pod.path("automountServiceAccountToken").asBoolean()).isFalse();
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(pod.at("/securityContext/seccompProfile/type").asString())
        .isEqualTo("RuntimeDefault");
    containers(pod)
        .forEach(container -> {
          JsonNode rights = container.path("securityContext");
          assertThat(rights.path("readOnlyRootFilesystem").asBoolean()).isTrue();
          assertThat(rights.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
          assertThat(rights.at("/capabilities/drop/0").asString()).isEqualTo("ALL");
          assertThat(rights.at("/capabilities/add").size())
              .isEqualTo(container.path("name").asString().equals("folders") ? 1 : 0);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.ebb.helm.ValueSets#all")
  void everyMountHasAVolumeAndEveryVolumeAMount(String values) {
    Chart.Rendered rendered = Chart.render(values);
    Set<String> mounted = new HashSet<>();
    containers(rendered.pod())
        .forEach(container -> {
          Set<String> paths = new HashSet<>();
          for (JsonNode mount : container.path("volumeMounts")) {
            mounted.add(mount.path("name").asString());
            assertThat(paths.add(mount.path("mountPath").asString())).as("%s", mount).isTrue();
          }
        });
    Set<String> volumes = new HashSet<>();
    rendered.pod().path("volumes").forEach(volume -> volumes.add(volume.path("name").asString()));
    rendered.documents().stream()
        .flatMap(document -> document.at("/spec/volumeClaimTemplates").valueStream())
        .forEach(claim -> volumes.add(claim.at("/metadata/name").asString()));
    assertThat(mounted).isEqualTo(volumes);
  }

  private static Stream<JsonNode> containers(JsonNode pod) {
    return Stream.of("initContainers", "containers").flatMap(name -> pod.path(name).valueStream());
  }

  @ParameterizedTest
  @MethodSource("dev.ebb.helm.ValueSets#all")
  void aStopHasTimeForTheDrainForTheDiskAndForEbbItself(String values) {
    Chart.Rendered rendered = Chart.render(values);
    int grace = rendered.pod().path("terminationGracePeriodSeconds").asInt();
    String hook = rendered.container().at("/lifecycle/preStop/exec/command/2").asString("");
    int drain =
        hook.isEmpty() ? 0 : Integer.parseInt(hook.replaceFirst(".*timeout (\\d+) .*", "$1"));
    String saved = rendered.configuration().replaceFirst("(?s).*save-timeout = (\\d+) s.*", "$1");
    int save = saved.matches("\\d+") ? Integer.parseInt(saved) : 0;

    assertThat(hook.isEmpty()).isEqualTo(rendered.kinds().contains("DaemonSet"));
    if (!values.contains("gracePeriodSeconds")) {
      assertThat(grace).isGreaterThanOrEqualTo(drain + save + 60);
    }
  }

  @Test
  void theDrainIsAsLongAsThePoolNeeds() {
    JsonNode pod =
        Chart.render("{mode: pool, pool: {sizeGiB: 600}, cluster: {bandwidthMiB: 512}}").pod();

    // 600 GiB at 512 MiB/s are 20 minutes; a minute each for the command and for Ebb.
    assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isEqualTo(1200 + 120);
    assertThat(pod.at("/containers/0/lifecycle/preStop/exec/command/2").asString())
        .contains("timeout 1260 ");
  }

  @Test
  void aShorterStopShortensTheDrain() {
    String hook =
        Chart.render("{mode: pool, gracePeriodSeconds: 100}")
            .container()
            .at("/lifecycle/preStop/exec/command/2")
            .asString();

    assertThat(hook).contains("timeout 40 ");
  }

  @Test
  void asManyNodesMayBeAwayAsValuesHaveFurtherCopies() {
    assertThat(away("{nodes: 5, copies: 0}")).isEqualTo(1);
    assertThat(away("{nodes: 5, copies: 2}")).isEqualTo(2);
    assertThat(away("{nodes: 3, copies: 4}")).isEqualTo(2);
    assertThat(away("{nodes: 1, copies: 1}")).isEqualTo(1);
  }

  private static int away(String cluster) {
    return Chart.render("{mode: pool, cluster: %s}".formatted(cluster))
        .one("PodDisruptionBudget")
        .at("/spec/maxUnavailable")
        .asInt();
  }

  @Test
  void memoryIsThatOfThePoolTheHeapAndTheRest() {
    JsonNode resources =
        Chart.render("pool: {sizeGiB: 2, heapMiB: 500, overheadMiB: 24}")
            .container()
            .path("resources");

    assertThat(resources.at("/limits/memory").asString()).isEqualTo("2572Mi");
    assertThat(resources.at("/requests/memory").asString()).isEqualTo("2572Mi");
  }

  @Test
  void prometheusReadsMetricsWithTheTokenAndOverTls() {
    JsonNode monitor =
        Chart.render("{monitoring: {serviceMonitor: true}, tls: {secret: web}}")
            .one("ServiceMonitor");
    JsonNode service =
        Chart.render("mode: pool").one("Service", "cache-ebb").at("/metadata/labels");

    assertThat(monitor.at("/spec/endpoints"))
        .hasToString(
            "[{\"port\":\"admin\",\"path\":\"/metrics\",\"authorization\":{\"credentials\":"
                + "{\"name\":\"cache-ebb\",\"key\":\"admin-token\"}},\"scheme\":\"https\",\"tlsConfig\":"
                + "{\"serverName\":\"cache-ebb.llm.svc\",\"ca\":{\"secret\":{\"name\":\"web\",\"key\":\"ca.crt\"}}}}]");
    monitor
        .at("/spec/selector/matchLabels")
        .forEachEntry((label, value) -> assertThat(service.path(label)).isEqualTo(value));
  }

  @Test
  void onlyThePoolReadsMachines() {
    assertThat(Chart.render("mode: node").kinds()).doesNotContain("ClusterRole");
    assertThat(Chart.render("{mode: pool, topology: {source: pod}}").kinds())
        .doesNotContain("ClusterRole");
    assertThat(Chart.render("mode: pool").one("ClusterRole").path("rules"))
        .hasToString("[{\"apiGroups\":[\"\"],\"resources\":[\"nodes\"],\"verbs\":[\"get\"]}]");
  }

  @Test
  void changesOfTheConfigurationRestartNoPod() {
    String before = restart("config: ebb.eviction.policy = arc");

    assertThat(restart("config: ebb.eviction.policy = lru")).isEqualTo(before);
    assertThat(restart("pool: {sizeGiB: 9}")).isNotEqualTo(before);
  }

  private static String restart(String values) {
    return Chart.render(values)
        .one("DaemonSet")
        .at("/spec/template/metadata/annotations/ebb.dev~1values")
        .asString();
  }

  @Test
  void passwordsAreInNoConfigMap() {
    for (String values : List.of("mode: pool", "{mode: node, node: {tcp: true}}")) {
      Chart.Rendered rendered = Chart.render(values);
      Set<String> passwords = new HashSet<>();
      rendered.one("Secret").path("data").forEach(each -> passwords.add(each.asString()));
      assertThat(passwords).hasSize(3);
      assertThat(rendered.documents())
          .filteredOn(document -> isShown(document, passwords))
          .isEmpty();
      assertThat(rendered.one("ConfigMap", "cache-ebb-connect").at("/data/url").asString())
          .contains("default:${EBB_PASSWORD}@");
    }
  }

  private static boolean isShown(JsonNode document, Set<String> passwords) {
    return !document.path("kind").asString().equals("Secret")
        && passwords.stream().anyMatch(document.toString()::contains);
  }
}
