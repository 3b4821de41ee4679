package dev.ebb.host.cli.replay;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tuning.SettingRange;
import dev.ebb.host.tuning.TuningGrid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The combinations that {@code ebb tune} tries.
 *
 * @param ranges the settings and their values
 * @param combinations the number of combinations of them
 * @param trials those that are tried, the current settings first
 * @param notes remarks for the user, one line each
 */
record TuneSearch(
    List<SettingRange> ranges,
    long combinations,
    List<TuningGrid.Trial> trials,
    List<String> notes) {

  /**
   * Returns the ranges around the current settings.
   *
   * @param notes gets the settings that have none
   * @param problems returns the problems of a policy's settings
   */
  static List<SettingRange> around(
      String policy,
      List<SettingValue> current,
      Map<String, List<String>> choices,
      List<String> notes,
      Function<PolicySpec, List<String>> problems) {
    List<SettingRange> ranges = new ArrayList<>();
    for (SettingValue setting : current) {
      List<String> allowed =
          SettingRange.around(setting, choices.getOrDefault(setting.key(), List.of()))
              .map(range -> allowed(policy, range, problems))
              .orElse(List.of());
      if (allowed.size() > 1) {
        ranges.add(new SettingRange(setting.key(), allowed));
      } else {
        notes.add(
            "%s=%s is kept; to try other values, name them with --set %s=..."
                .formatted(setting.key(), setting.value(), setting.key()));
      }
    }
    return ranges;
  }

  private static List<String> allowed(
      String policy, SettingRange range, Function<PolicySpec, List<String>> problems) {
    return range.values().stream()
        .filter(value ->
            problems
                .apply(PolicySpec.parse("%s(%s=%s)".formatted(policy, range.key(), value), "--set"))
                .isEmpty())
        .toList();
  }

  /**
   * Leaves out the combinations that the policy refuses.
   *
   * @throws UserError if there is no other
   */
  static TuneSearch of(
      TuningGrid grid,
      List<SettingRange> ranges,
      List<TuningGrid.Trial> trials,
      List<String> notes,
      Function<PolicySpec, List<String>> problems) {
    List<TuningGrid.Trial> allowed = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (TuningGrid.Trial trial : trials) {
      List<String> wrong = trial.isCurrent() ? List.of() : problems.apply(trial.spec());
      if (wrong.isEmpty()) {
        allowed.add(trial);
      }
      refused.addAll(wrong);
    }
    if (allowed.size() < 2) {
      UserError.throwIfAny(refused.stream().distinct().toList());
      throw new UserError(
          "'%s' has no settings with values to compare; name values with --set KEY=V1,V2,..."
              .formatted(trials.getFirst().spec().name()));
    }
    List<String> all = new ArrayList<>(notes);
    if (!refused.isEmpty()) {
      all.add(
          "%d of %d combinations are left out; the first problem: %s"
              .formatted(trials.size() - allowed.size(), trials.size(), refused.getFirst()));
    }
    return new TuneSearch(ranges, grid.size(), allowed, all);
  }
}
