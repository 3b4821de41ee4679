package dev.ebb.host.plugin;

import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.config.PluginsConfig.OnRemoved;
import dev.ebb.host.plugin.jar.FolderTrust;
import dev.ebb.host.plugin.jar.JarContent;
import dev.ebb.host.plugin.jar.PluginManifest;
import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.host.plugin.jar.SemanticVersion;
import dev.ebb.host.plugin.jar.StagedJar;
import dev.ebb.host.plugin.jar.Staging;
import dev.ebb.host.plugin.jar.TrustedSigners;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the plugin folder. Each JAR is judged alone: a bad one does not affect others.
 * Loaded JARs are not loaded again.
 */
final class PluginScan {

  private static final String CHANGED =
      "its file has changed but was not loaded; the previous copy serves";

  private final Staging staging;
  private final Rules rules;
  private final LoaderWatch watch;
  private final List<Generation> before;
  private final List<PluginReport> reports = new ArrayList<>();
  private final List<Generation> generations = new ArrayList<>();
  private final Map<String, List<Candidate>> byId = new TreeMap<>();
  private final ScanTimes times = new ScanTimes();

  /** A JAR that may be loaded. */
  private record Candidate(
      StagedJar jar, JarContent content, PluginManifest manifest, PluginReport report) {}

  PluginScan(Staging staging, Rules rules, LoaderWatch watch, List<Generation> before) {
    this.staging = staging;
    this.rules = rules;
    this.watch = watch;
    this.before = before;
  }

  void run(List<Path> jars) {
    jars.forEach(this::judge);
    before.forEach(this::keepIfUnsettled);
    byId.values().forEach(this::loadBest);
    before.forEach(generation -> keepIfWanted(generation, jars));
    reports.sort(Comparator.comparing(PluginReport::file));
  }

  List<PluginReport> reports() {
    return reports;
  }

  List<Generation> generations() {
    return generations;
  }

  ScanTimes times() {
    return times;
  }

  private void judge(Path file) {
    PluginReport report = PluginReport.of(file);
    if (rules.unsettled().contains(file)) {
      reports.add(report.as(PluginState.COPYING, "it changed just now, and will be loaded soon"));
      return;
    }
    try {
      FolderTrust.checkJar(file, rules.config());
      long start = System.nanoTime();
      StagedJar jar = staging.stage(file);
      times.staged(start);
      report = report.hashed(jar.sha256());
      start = System.nanoTime();
      TrustedSigners signers = rules.signers();
      if (signers != null) {
        signers.check(jar.copy());
      }
      JarContent content = JarContent.read(jar.copy());
      report =
          report.identified(
              PluginManifest.shown(content.manifest(), PluginManifest.ID),
              PluginManifest.shown(content.manifest(), PluginManifest.VERSION));
      PluginManifest manifest = content.judge();
      checkWanted(jar);
      times.verified(start);
      byId.computeIfAbsent(manifest.id(), id -> new ArrayList<>())
          .add(new Candidate(jar, content, manifest, report));
    } catch (PluginRefusal refusal) {
      refuse(report, refusal.reason());
    } catch (Throwable thrown) {
      refuse(report, PluginErrors.of(thrown));
    }
  }

  private void checkWanted(StagedJar jar) {
    List<String> allowed = rules.config().allow();
    if (!allowed.isEmpty() && !allowed.contains(jar.sha256())) {
      throw new PluginRefusal(
          "its SHA-256 '%s' is not in ebb.plugins.allow; add it there if you trust the file"
              .formatted(jar.sha256()));
    }
    String blocked = rules.blocked().get(jar.sha256());
    if (blocked != null) {
      throw new PluginRefusal(blocked);
    }
  }

  /**
   * Keeps a serving generation while its file is being written. Otherwise a lower version would
   * take over until the next scan, for example after an operator's reload has loaded the file
   * already.
   */
  private void keepIfUnsettled(Generation generation) {
    Path file = generation.jar().file();
    if (!rules.unsettled().contains(file)) {
      return;
    }
    keep(generation, CHANGED);
    List<Candidate> others = byId.remove(generation.id());
    if (others != null) {
      String why =
          "%s is being written, and its previous copy serves".formatted(file.getFileName());
      others.forEach(each -> reports.add(each.report().as(PluginState.PASSED_OVER, why)));
    }
  }

  /** Loads the highest version that can be loaded. */
  private void loadBest(List<Candidate> versions) {
    versions.sort(
        Comparator.comparing((Candidate c) -> c.manifest().version(), PluginScan::compare)
            .reversed()
            .thenComparing(c -> c.jar().file()));
    Candidate serving = null;
    for (Candidate candidate : versions) {
      if (serving != null) {
        reports.add(candidate.report().as(PluginState.PASSED_OVER, passedOver(candidate, serving)));
      } else if (serves(candidate)) {
        serving = candidate;
      }
    }
  }

  private boolean serves(Candidate candidate) {
    Generation loaded = loaded(candidate.jar().sha256());
    try {
      Generation generation = loaded == null ? load(candidate) : loaded;
      generations.add(generation);
      reports.add(candidate.report().offering(generation.strategies()).as(PluginState.LOADED, ""));
      return true;
    } catch (PluginRefusal refusal) {
      refuse(candidate.report(), refusal.reason());
      return false;
    }
  }

  private @Nullable Generation loaded(String sha256) {
    return before.stream()
        .filter(generation -> generation.sha256().equals(sha256))
        .findFirst()
        .orElse(null);
  }

  private Generation load(Candidate candidate) {
    long start = System.nanoTime();
    Generation generation = Generation.load(candidate.jar(), candidate.content(), watch);
    times.loaded(start);
    return generation;
  }

  /**
   * Keeps a serving generation if its file is broken, and, for a while, if the file was removed.
   */
  private void keepIfWanted(Generation generation, List<Path> jars) {
    if (generations.stream().anyMatch(each -> each.id().equals(generation.id()))) {
      return;
    }
    if (jars.contains(generation.jar().file())) {
      keep(generation, CHANGED);
    } else if (generation.isUsed() && rules.config().onRemoved() == OnRemoved.KEEP) {
      keep(generation, "its file was removed; the copy serves as long as it is used");
    }
  }

  private void keep(Generation generation, String why) {
    generations.add(generation);
    reports.add(PluginReport.of(generation, why));
  }

  private void refuse(PluginReport report, String reason) {
    reports.add(report.as(PluginState.REFUSED, reason));
  }

  private static int compare(String a, String b) {
    return SemanticVersion.of(a).compareTo(SemanticVersion.of(b));
  }

  private static String passedOver(Candidate candidate, Candidate serving) {
    String file = String.valueOf(serving.jar().file().getFileName());
    if (candidate.jar().sha256().equals(serving.jar().sha256())) {
      return "it is identical to " + file + "; remove one of the two";
    }
    String version = serving.manifest().version();
    return compare(candidate.manifest().version(), version) == 0
        ? "%s has the same version %s and serves; remove one of the two".formatted(file, version)
        : "%s has the higher version %s and serves".formatted(file, version);
  }

  /**
   * The rules of a scan.
   *
   * @param signers those who must have signed JARs; null if JARs need no signature
   * @param blocked hashes of JARs that must not serve, each with the reason
   */
  record Rules(
      PluginsConfig config,
      @Nullable TrustedSigners signers,
      Map<String, String> blocked,
      Set<Path> unsettled) {}
}
