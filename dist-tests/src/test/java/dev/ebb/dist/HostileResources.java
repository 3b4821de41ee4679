package dev.ebb.dist;

import static dev.ebb.dist.HostileJar.Outcome.ENDED;
import static dev.ebb.dist.HostileJar.Outcome.QUARANTINED;
import static dev.ebb.dist.HostileJar.Outcome.REFUSED;
import static dev.ebb.dist.HostileJar.Outcome.SERVED;
import static dev.ebb.dist.HostileJar.Outcome.SWITCH_FAILED;

import java.util.List;
import java.util.Map;

/** Policies that misuse memory, files and classes, or end the process. */
final class HostileResources extends HostileGroup {

  private HostileResources() {}

  static List<HostileJar> all() {
    HostileResources made = new HostileResources();
    made.memory();
    made.classes();
    made.ends();
    return made.jars();
  }

  private void memory() {
    String group = "memory";
    add(
        group,
        "garbage",
        "accessed",
        "for (int i = 0; i < 20; i++) first = new byte[100000].length == 1 ? null : first;",
        SERVED,
        QUARANTINED);
    once(
        group,
        "fifty-megabytes",
        "victim",
        "System.getProperties().put(\"x\", new byte[50 << 20]);"
            + " System.getProperties().remove(\"x\");",
        SERVED,
        QUARANTINED);
    once(
        group,
        "explicit-gc",
        "victim",
        "for (int i = 0; i < 10; i++) System.gc();",
        SERVED,
        QUARANTINED);
    once(
        group,
        "direct-buffers",
        "victim",
        "var b = new ArrayList<java.nio.ByteBuffer>(); for (int i = 0; i < 32; i++)"
            + " b.add(java.nio.ByteBuffer.allocateDirect(1 << 20));",
        SERVED,
        QUARANTINED);
    once(
        group,
        "open-files",
        "victim",
        "try { for (int i = 0; i < 500; i++) new FileInputStream(\"/dev/null\"); } catch"
            + " (IOException e) { throw new UncheckedIOException(e); }",
        SERVED,
        QUARANTINED);
    once(
        group,
        "finalizers-hang",
        "victim",
        "for (int i = 0; i < 100; i++) new Object() { protected void finalize() { sleepForever(); }"
            + " }; System.gc();",
        SERVED,
        QUARANTINED);
    once(
        group,
        "cleaner-hangs",
        "victim",
        "for (int i = 0; i < 10; i++) java.lang.ref.Cleaner.create().register(new Object(), () ->"
            + " sleepForever()); System.gc();",
        SERVED,
        QUARANTINED);
    add(group, "keeps-all-entries", "removed", "held--; return;", QUARANTINED, SERVED);
    add(group, "keeps-history", "removed", "((List<Object>) KEPT).add(node.entry);", SERVED);
    last()
        .code(
            Map.of(
                "removed",
                "KEPT.add(node.entry);",
                "members",
                "static final List<Object> KEPT = new ArrayList<>();"));
  }

  private void classes() {
    String group = "classes";
    once(group, "initializer-fails-late", "victim", "new Late();", QUARANTINED);
    lastVictim(
        "new Late();",
        "static class Late { static { if (yes) throw new IllegalStateException(\"late\"); }"
            + " }");
    once(group, "initializer-hangs-late", "victim", "", QUARANTINED);
    lastVictim("new Late();", "static class Late { static { if (yes) sleepForever(); } }");
    once(group, "initializer-deadlock", "victim", "", QUARANTINED);
    lastVictim(
        "daemon(() -> new Right()); new Left();",
        "static class Left { static { sleepMillis(100); new Right(); } }"
            + " static class Right { static { sleepMillis(100); new Left(); } }");
    once(group, "missing-class", "victim", "", QUARANTINED);
    last()
        .code(
            Map.of(
                "victim",
                "try { Class.forName(\"no.such.Type\"); } catch (ClassNotFoundException e) { throw"
                    + " sneaky(e); }"));
    once(
        group, "native-missing", "victim", "System.loadLibrary(\"no-such-library\");", QUARANTINED);
    once(
        group,
        "native-garbage",
        "victim",
        "try { var f = java.nio.file.Files.createTempFile(\"x\", \".so\");"
            + " java.nio.file.Files.write(f, new byte[100]); System.load(f.toString()); } catch"
            + " (IOException e) { throw new UncheckedIOException(e); }",
        QUARANTINED);
    once(group, "native-method", "victim", "", QUARANTINED);
    lastVictim("absent();", "static native void absent();");
    once(
        group,
        "reads-host-fields",
        "victim",
        "try { for (Class<?> c = first.getClass(); c != Object.class; c = c.getSuperclass()) for"
            + " (var f : c.getDeclaredFields()) { f.setAccessible(true); f.get(first); } } catch"
            + " (ReflectiveOperationException e) { throw new IllegalStateException(e); }",
        QUARANTINED);
    once(
        group,
        "loads-host-classes",
        "victim",
        "try { Class.forName(\"dev.ebb.host.cli.EbbMain\", true,"
            + " first.getClass().getClassLoader()); } catch (ClassNotFoundException e) { throw"
            + " sneaky(e); }",
        SERVED,
        QUARANTINED);
    once(
        group,
        "many-classes",
        "victim",
        "for (int i = 0; i < 3000; i++) java.lang.reflect.Proxy.newProxyInstance(new"
            + " ClassLoader(Bad.class.getClassLoader()) { }, new Class<?>[] {Runnable.class}, (a,"
            + " b, c) -> null);",
        SERVED,
        QUARANTINED);
    once(
        group,
        "closes-own-loader",
        "victim",
        "try { ((Closeable) Bad.class.getClassLoader()).close(); new Late(); } catch (IOException"
            + " e) { throw new UncheckedIOException(e); }",
        SERVED,
        QUARANTINED);
    lastVictim(
        "try { ((Closeable) Bad.class.getClassLoader()).close(); } catch (IOException e) {"
            + " throw new UncheckedIOException(e); } new Late();",
        "static class Late { }");
    once(
        group,
        "deletes-own-copy",
        "victim",
        "new File(Bad.class.getProtectionDomain().getCodeSource().getLocation().getPath()).delete();",
        SERVED,
        QUARANTINED);
    once(
        group,
        "default-assertions",
        "create",
        "ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(true);",
        SERVED);
  }

  private void ends() {
    String group = "ends the process";
    add(group, "exit-victim", "victim", "System.exit(0);", QUARANTINED);
    add(group, "halt-victim", "victim", "Runtime.getRuntime().halt(0);", QUARANTINED);
    add(group, "runtime-exit", "victim", "Runtime.getRuntime().exit(7);", QUARANTINED);
    add(group, "exit-initializer", "initializer", "System.exit(1);", REFUSED);
    add(group, "exit-self-test", "createAlways", "System.exit(1);", SWITCH_FAILED);
    add(
        group,
        "exit-method-handle",
        "victim",
        "java.util.function.IntConsumer end = System::exit; end.accept(1);",
        QUARANTINED);
    add(
        group,
        "halt-by-reflection",
        "victim",
        "try { Runtime.class.getMethod(\"halt\", int.class).invoke(Runtime.getRuntime(), 9); }"
            + " catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }",
        ENDED);
    add(
        group,
        "allocates-forever",
        "victim",
        "var all = new ArrayList<byte[]>(); while (true) all.add(new byte[1 << 20]);",
        ENDED);
    add(
        group,
        "allocates-too-large",
        "victim",
        "long[] x = new long[Integer.MAX_VALUE]; held += x.length;",
        ENDED);
    add(group, "huge-string", "explain", "return \"x\".repeat(Integer.MAX_VALUE - 8);", ENDED);
  }
}
