package dev.ebb.host.admin.stats;

import static java.util.stream.Collectors.toMap;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.UseStats;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The models that clients' keys name, and their object groups. */
public final class ModelRoutes {

  public record Models(List<Model> models) {}

  /**
   * A model.
   *
   * @param groups the kinds of its object groups, such as {@code full,state}
   * @param source who said that: {@code configured}, {@code stated}, {@code learned}, {@code peer}
   *     for another node of the cluster, or {@code default} if nobody did
   * @param prompts the prompts that reads have shown, since what was learned was wrong last
   */
  public record Model(
      String name, String groups, String source, int prompts, long entries, long usedBytes) {}

  private final ObjectStore store;

  public ModelRoutes(ObjectStore store) {
    this.store = store;
  }

  public void addTo(Routes routes) {
    routes.document(
        Operation.get("/api/v1/models", Models.class, "models, and their object groups"),
        this::models);
  }

  private Models models() {
    Map<String, UseStats> uses = store.models().stream().collect(toMap(UseStats::name, use -> use));
    return new Models(
        store.knownModels().all().entrySet().stream()
            .map(each -> model(each.getKey(), each.getValue(), uses.get(each.getKey())))
            .toList());
  }

  private static Model model(
      String name, dev.ebb.host.store.key.Model model, @Nullable UseStats use) {
    return new Model(
        name,
        model.groups().toString(),
        model.source().label(),
        model.prompts(),
        use == null ? 0 : use.entries(),
        use == null ? 0 : use.usedBytes());
  }
}
