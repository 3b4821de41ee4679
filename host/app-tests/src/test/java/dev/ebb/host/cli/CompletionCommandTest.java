package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {

  @TempDir private Path home;

  @Test
  void bashCompletesCommands() throws Exception {
    assertThat(completed("ebb", "pl")).containsExactly("plugins");
    assertThat(completed("ebb", "plugins", "")).contains("list");
    assertThat(completed("./ebb", "plugins", "li")).containsExactly("list");
  }

  @Test
  void bashCompletesOptionsAndTheirValues() throws Exception {
    assertThat(completed("ebb", "pool", "size", "--to")).contains("--tokens");
    assertThat(completed("ebb", "replay", "--on-error", "")).containsExactly("stop", "skip");
    assertThat(completed("ebb", "completion", "")).contains("bash", "zsh");
  }

  @Test
  void zshReadsTheSameScript() {
    assertThat(Run.of("completion", "zsh").out())
        .contains("bashcompinit")
        .isEqualTo(Run.of("completion", "bash").out());
  }

  @Test
  void theScriptForFishHasCommandsOptionsAndValues() {
    assertThat(Run.of("completion", "fish").out().lines())
        .contains("complete -c ebb -f")
        .anyMatch(
            line -> line.startsWith("set -g __ebb_commands ") && line.contains("' policy set'"))
        .anyMatch(line -> line.contains("= \" plugins\"") && line.contains("-a 'verify'"))
        .anyMatch(line ->
            line.contains("= \" replay\"") && line.contains("-l on-error -x -a 'stop skip'"))
        .anyMatch(line -> line.contains("= \" stats\"") && line.contains("-l config -r -F"))
        .noneMatch(line -> line.contains("${") || line.contains("%%"));
  }

  @Test
  void fishCompletesCommandsOptionsAndValues() throws Exception {
    assertThat(completedByFish("./ebb plug")).containsExactly("plugins");
    assertThat(completedByFish("ebb plugins --json li")).containsExactly("list");
    assertThat(completedByFish("ebb pool size --to")).contains("--tokens");
    assertThat(completedByFish("ebb replay --on-error s")).containsExactly("skip", "stop");
    assertThat(completedByFish("ebb completion ")).contains("bash", "fish", "zsh");
  }

  /** What fish itself offers for a line, without descriptions. */
  private List<String> completedByFish(String line) throws IOException, InterruptedException {
    Path fish = Path.of("/usr/bin/fish");
    assumeTrue(Files.isExecutable(fish), "there is no fish here");
    Path script = home.resolve("ebb.fish");
    Files.writeString(script, Run.of("completion", "fish").out());
    String asked = "source '%s'; complete -C '%s'".formatted(script, line);
    ProcessBuilder builder =
        new ProcessBuilder(fish.toString(), "--no-config", "-c", asked)
            .redirectError(home.resolve("err").toFile());
    builder.environment().put("HOME", home.toString());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(home.resolve("err"))).isZero();
    return out.lines().map(each -> each.replaceFirst("\t.*", "")).sorted().toList();
  }

  @Test
  void anotherShellIsWrongUsage() {
    Run run = Run.of("completion", "tcsh");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("'tcsh' is not one of bash, zsh, fish");
  }

  /** What bash itself would offer for the last word. */
  private List<String> completed(String... words) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "there is no bash here");
    Path script = home.resolve("completion.bash");
    Files.writeString(script, Run.of("completion", "bash").out());
    String asked =
        """
        source '%s' || exit 9
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        COMP_TYPE=9
        _complete_ebb
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(script);
    List<String> command = new ArrayList<>(List.of("/bin/bash", "-c", asked, "bash"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).redirectError(home.resolve("err").toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(home.resolve("err"))).isZero();
    return out.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }
}
