package dev.ebb.host.plugin;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pass over the drop-in folder. Each JAR is judged alone: a bad one spoils no other. */
final class PluginScan {

  private static final Logger log = LoggerFactory.getLogger(PluginScan.class);

  private final Staging staging;
  private final List<PluginReport> reports = new ArrayList<>();
  private final List<Generation> generations = new ArrayList<>();
  private final Map<String, List<Candidate>> byId = new TreeMap<>();

  /** A JAR that may be loaded. */
  private record Candidate(
      StagedJar jar, JarContent content, PluginManifest manifest, PluginReport report) {}

  PluginScan(Staging staging) {
    this.staging = staging;
  }

  void run(List<Path> jars) {
    jars.forEach(this::judge);
    byId.values().forEach(this::loadBest);
    reports.sort(Comparator.comparing(PluginReport::file));
  }

  List<PluginReport> reports() {
    return reports;
  }

  List<Generation> generations() {
    return generations;
  }

  private void judge(Path file) {
    PluginReport report = PluginReport.of(file);
    try {
      StagedJar jar = staging.stage(file);
      report = report.hashed(jar.sha256());
      JarContent content = JarContent.read(jar.copy());
      report =
          report.identified(
              PluginManifest.value(content.manifest(), PluginManifest.ID),
              PluginManifest.value(content.manifest(), PluginManifest.VERSION));
      PluginManifest manifest = content.judge();
      byId.computeIfAbsent(manifest.id(), id -> new ArrayList<>())
          .add(new Candidate(jar, content, manifest, report));
    } catch (PluginRefusal refusal) {
      refuse(report, refusal.reason());
    } catch (Throwable thrown) {
      refuse(report, Words.of(thrown));
    }
  }

  /** The highest version that can be loaded serves; without it, the next one does. */
  private void loadBest(List<Candidate> versions) {
    versions.sort(
        Comparator.comparing((Candidate c) -> c.manifest().version(), Versions::compare)
            .reversed()
            .thenComparing(c -> c.jar().file()));
    Candidate serving = null;
    for (Candidate candidate : versions) {
      if (serving != null) {
        reports.add(candidate.report().as(PluginState.PASSED_OVER, passedOver(candidate, serving)));
      } else if (load(candidate)) {
        serving = candidate;
      }
    }
  }

  private boolean load(Candidate candidate) {
    try {
      Generation generation = Generation.load(candidate.jar(), candidate.content());
      generations.add(generation);
      reports.add(candidate.report().offering(generation.strategies()).as(PluginState.LOADED, ""));
      log.info(
          "plugin loaded id={} version={} sha256={} file={}",
          generation.id(),
          generation.version(),
          generation.sha256(),
          candidate.jar().file());
      return true;
    } catch (PluginRefusal refusal) {
      refuse(candidate.report(), refusal.reason());
      return false;
    }
  }

  private void refuse(PluginReport report, String reason) {
    reports.add(report.as(PluginState.REFUSED, reason));
    log.info("plugin refused file={} reason={}", report.file(), reason);
  }

  private static String passedOver(Candidate candidate, Candidate serving) {
    String file = String.valueOf(serving.jar().file().getFileName());
    if (candidate.jar().sha256().equals(serving.jar().sha256())) {
      return "it is the same file as " + file + "; remove one of the two";
    }
    String version = serving.manifest().version();
    return Versions.compare(candidate.manifest().version(), version) == 0
        ? "%s has the same version %s and serves; remove one of the two".formatted(file, version)
        : "%s has the higher version %s and serves".formatted(file, version);
  }
}
