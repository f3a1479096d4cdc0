# SPDX-License-Identifier: Apache-2.0
"""Files that the program writes: nothing is destroyed, nothing is cut, nothing is said that is not so.

Devices and small disks are made here where that is allowed (root), in a folder of their own."""
import contextlib
import json
import os
import re
import resource
import signal
import stat
import subprocess
import threading
import time
import unittest
import xml.dom.minidom

from program import LINKWORK, Folder, linkwork, linkwork_json, read_csv, shipped

DOUBLE = shipped("double-pendulum")
HUMANOID = shipped("humanoid")
ROOT = os.geteuid() == 0

# every way to write a file: words, name of the option and ending of the file
WRITERS = [
    (["run", DOUBLE], "--output", ".csv"),
    (["sens", DOUBLE, "--parameters", "La", "--end", "1"], "-o", ".csv"),
    (["modes", shipped("hmmwv")], "--output", ".csv"),
    (["inspect", DOUBLE], "--svg", ".svg"),
    (["inspect", DOUBLE], "--assembly-svg", ".svg"),
    (["draw", DOUBLE], "-o", ".svg"),
    (["convert", shipped("satellite")], "-o", ".yaml"),
    (["make", "chain", "9"], "-o", ".yaml"),
    (["run", DOUBLE, "--end", "0.1", "-q"], "--report", ".html"),
]


def started(*words, **more):
    return subprocess.Popen([LINKWORK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


class Whole(Folder):
    """Folder with helpers for its contents."""

    def names(self):
        return sorted(os.listdir(self._folder))

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def full_device(self):
        """A device that is always full, which the program may not harm."""
        if not ROOT:
            return "/dev/full"
        path = self.path("full")
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        try:
            with open(path, "wb", buffering=0) as file:
                file.write(b"x")
        except PermissionError:
            os.unlink(path)
            return "/dev/full"
        except OSError:
            pass
        return path

    @contextlib.contextmanager
    def small_disk(self, size="64k"):
        if not ROOT:
            self.skipTest("mounting a small disk needs root")
        os.mkdir(self.path("disk"))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.path("disk")],
                          capture_output=True).returncode != 0:
            self.skipTest("mounting is not allowed here")
        try:
            yield self.path("disk")
        finally:
            subprocess.run(["umount", self.path("disk")], check=True)

    def assert_whole_rows(self, text):
        self.assertTrue(text.endswith("\n"), text[-80:])
        lines = text.splitlines()
        self.assertEqual({line.count(",") for line in lines}, {lines[0].count(",")})


class Writers(Whole):
    def test_a_full_device_is_an_error_and_stays(self):
        device = self.full_device()
        os.symlink(device, self.path("link"))
        for words, option, _ in WRITERS:
            for path in (device, self.path("link")):
                done = linkwork(*words, option, path, expect=1)
                self.assertIn("No space left", done.stderr)
                self.assertTrue(stat.S_ISCHR(os.stat(path).st_mode))
        self.assertTrue(os.path.islink(self.path("link")))

    def test_a_pipe_is_written_through_and_stays(self):
        os.mkfifo(self.path("pipe"))
        for words, option, ending in WRITERS:
            got = []
            reader = threading.Thread(target=lambda: got.append(self.read("pipe")), daemon=True)
            reader.start()
            linkwork(*words, option, self.path("pipe"))
            reader.join(60)
            self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("pipe")).st_mode))
            linkwork(*words, option, self.path("file" + ending))
            self.assertEqual(got[0].count("\n"), self.read("file" + ending).count("\n"))

    def test_links_stay_and_what_they_point_at_is_written(self):
        os.mkdir(self.path("other"))
        os.symlink("other/there", self.path("second"))
        os.symlink("second", self.path("first"))
        for words, option, _ in WRITERS:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path("other/there"))
            for _ in range(2):  # points at nothing, then at a file
                linkwork(*words, option, self.path("first"))
                self.assertGreater(os.path.getsize(self.path("other/there")), 100)
                self.assertEqual(os.readlink(self.path("first")), "second")
                self.assertEqual(os.listdir(self.path("other")), ["there"])
        os.symlink("no/such/folder", self.path("lost"))
        os.symlink("loop", self.path("loop"))
        for words, option, _ in WRITERS:
            for name in ("lost", "loop", "other", "other/"):
                linkwork(*words, option, self.path(name), expect=1)
        self.assertEqual(self.names(), ["first", "loop", "lost", "other", "second"])

    def test_an_earlier_file_stays_if_writing_fails(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
        for words, option, ending in WRITERS:
            path = self.write("x" + ending, "precious\n")
            done = subprocess.run([LINKWORK, *words, option, path], preexec_fn=small, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(self.read("x" + ending), "precious\n")
            os.unlink(path)
            self.assertEqual(self.names(), [])

    def test_an_earlier_file_keeps_permissions_and_owner(self):
        for words, option, ending in WRITERS:
            path = self.write("x" + ending, "old\n")
            os.chmod(path, 0o640)
            if ROOT:
                os.chown(path, 12345, 23456)
            linkwork(*words, option, path)
            there = os.stat(path)
            self.assertEqual(there.st_mode & 0o7777, 0o640)
            if ROOT:
                self.assertEqual((there.st_uid, there.st_gid), (12345, 23456))
            self.assertNotEqual(self.read("x" + ending), "old\n")
            self.assertEqual(self.names(), ["x" + ending])
            os.unlink(path)

    def test_a_new_file_has_the_permissions_that_the_user_wants(self):
        for words, option, ending in WRITERS:
            path = self.path("x" + ending)
            subprocess.run([LINKWORK, *words, option, path], preexec_fn=lambda: os.umask(0o027), check=True,
                           capture_output=True)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
            os.unlink(path)

    @unittest.skipIf(ROOT, "root may write everywhere")
    def test_a_file_that_must_not_be_written_is_not(self):
        for words, option, ending in WRITERS:
            path = self.write("x" + ending, "precious\n")
            os.chmod(path, 0o444)
            self.assertIn("denied", linkwork(*words, option, path, expect=1).stderr)
            self.assertEqual(self.read("x" + ending), "precious\n")
            os.unlink(path)

    def test_stdout_by_any_name_gets_the_file_and_nothing_else(self):
        for words, option, ending in WRITERS:
            linkwork(*words, option, self.path("x" + ending))
            expected = self.read("x" + ending)
            for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                self.assertEqual(linkwork(*words, option, name).stdout.count("\n"), expected.count("\n"))
                if words[0] not in ("draw", "make"):  # which have no --json
                    self.assertIn("stdout", linkwork(*words, option, name, "--json", expect=2).stderr)
        # what stands there already stays
        with open(self.write("log", "before\n"), "a") as log:
            subprocess.run([LINKWORK, "run", DOUBLE, "-q", "-o", "/dev/stdout"], stdout=log, check=True)
        self.assertTrue(self.read("log").startswith("before\nt,q.A"))
        with open(self.path("third"), "w") as third:
            subprocess.run([LINKWORK, "run", DOUBLE, "-q", "-o", f"/proc/self/fd/{third.fileno()}"],
                           pass_fds=[third.fileno()], check=True)
            os.stat(self.path("third"))
        self.assertTrue(self.read("third").startswith("t,q.A"))

    def test_the_model_itself_is_never_overwritten(self):
        with open(DOUBLE) as file:
            text = file.read()
        model = self.write("model.txt", text)
        os.link(model, self.path("hard"))
        os.symlink("model.txt", self.path("soft"))
        for words, option, _ in (writer for writer in WRITERS if writer[0][0] != "make"):
            for name in ("model.txt", "./model.txt", "hard", "soft"):
                for given in (model, self.path("hard"), self.path("soft")):
                    done = linkwork(words[0], given, *words[2:], option, self.path(name), expect=2)
                    self.assertIn("the model itself", done.stderr)
        self.assertEqual(self.read("hard"), text)
        self.assertEqual(self.names(), ["hard", "model.txt", "soft"])

    def test_a_name_that_says_another_format_is_refused(self):
        for words, option, ending in WRITERS:
            for wrong in ("x.json", "x.JSON", "x.png", "x.yaml", "x.svg", "x.csv"):
                if wrong.endswith(ending):
                    continue
                done = linkwork(*words, option, self.path(wrong), expect=2)
                self.assertIn(ending[1:].upper(), done.stderr.upper())
        linkwork("inspect", DOUBLE, "--svg", self.path("a.svg"), "--assembly-svg", self.path("a.svg"), expect=2)
        self.assertEqual(self.names(), [])


class Full(Whole):
    def test_every_verb_says_that_stdout_is_full(self):
        full = self.full_device()
        results = self.path("run.h5")
        linkwork("run", DOUBLE, "--end", "0.5", "-o", results)
        for words in (["--version"], ["--help"], ["run", "--help"], ["run", DOUBLE], ["run", DOUBLE, "--json"],
                      ["run", DOUBLE, "-o", "-"], ["check", DOUBLE], ["check", DOUBLE, "--json"],
                      ["eval", HUMANOID, "--json"], ["eval", HUMANOID], ["inspect", HUMANOID],
                      ["inspect", HUMANOID, "--json"], ["equilibrium", shipped("hmmwv"), "--json"],
                      ["modes", shipped("hmmwv"), "--json"], ["inverse", DOUBLE, "--json"],
                      ["sens", DOUBLE, "--end", "1", "--json"], ["check", "nothing", "--json"], ["schema"],
                      ["make", "chain", "9"], ["results", results, "--json"], ["results", results],
                      ["plot", results, "q.*"], ["convert", shipped("satellite"), "-o", "-"], ["draw", DOUBLE, "-o", "-"]):
            with open(full, "w") as stdout:
                done = subprocess.run([LINKWORK, *words], stdout=stdout, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("No space left", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2 if "nothing" in words else 1, done.stderr)

    def test_a_closed_stdout_is_an_error_and_no_file_takes_its_place(self):
        for words in (["eval", DOUBLE, "--json"], ["run", DOUBLE, "--json", "-o", self.path("x.csv")]):
            done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", LINKWORK, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("stdout", done.stderr)
        self.assert_whole_rows(self.read("x.csv"))
        subprocess.run(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", LINKWORK, "run", DOUBLE, "-o", self.path("y.csv")], check=True)
        self.assertEqual(self.read("y.csv"), self.read("x.csv"))

    def test_who_stops_listening_is_not_told_a_success(self):
        for action, expected in ((signal.SIG_DFL, -signal.SIGPIPE), (signal.SIG_IGN, 1)):
            for words in (["eval", HUMANOID, "--json"], ["run", DOUBLE, "-o", "-"]):
                read, write = os.pipe()
                os.close(read)
                done = subprocess.run([LINKWORK, *words], stdout=write, stderr=subprocess.PIPE, text=True,
                                      restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
                os.close(write)
                self.assertEqual(done.returncode, expected, words)
                if "-o" not in words:
                    self.assertEqual(done.stderr, "")

    def test_a_full_disk_leaves_whole_rows(self):
        with self.small_disk() as disk:
            for words in (["run", DOUBLE, "--output-step", "1e-3"],
                          ["sens", DOUBLE, "--parameters", "La", "--output-step", "1e-2", "--columns", "q.*,u.*"]):
                for name in ("-", os.path.join(disk, "x.csv")):
                    with open(os.path.join(disk, "out"), "w") as out:
                        done = subprocess.run([LINKWORK, *words, "-o", name], stdout=out, stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("No space left", done.stderr)
                    with open(os.path.join(disk, "out") if name == "-" else name) as file:
                        text = file.read()
                    self.assertGreater(len(text), 10000)
                    self.assert_whole_rows(text)
                    self.assertEqual(sorted(os.listdir(disk)), ["out"] if name == "-" else ["out", "x.csv"])
                os.unlink(os.path.join(disk, "x.csv"))

    def test_wherever_writing_ends_rows_are_whole(self):
        """The end of the room at any byte: a limit of file sizes, for which nobody needs to be root."""
        words = ["run", DOUBLE, "--output-step", "1e-2"]
        whole = linkwork(*words, "-o", "-").stdout
        row = whole.index("\n") + 1
        for size in (row + 1, 2 * row - 1, 2 * row, 4095, 4096, 4097, 10007, 65536, 100003):
            def small():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            for name in ("-", self.path("x.csv")):
                with open(self.path("out"), "w") as out:
                    done = subprocess.run([LINKWORK, *words, "-o", name], stdout=out, stderr=subprocess.PIPE, text=True,
                                          preexec_fn=small)
                self.assertEqual(done.returncode, 1, size)
                self.assertIn("too large", done.stderr.lower())
                text = self.read("out" if name == "-" else "x.csv")
                self.assert_whole_rows(text)
                self.assertTrue(whole.startswith(text))
                self.assertEqual(self.names(), ["out"] if name == "-" else ["out", "x.csv"])
            os.unlink(self.path("x.csv"))

    def test_a_disk_with_room_again_is_written_again(self):
        with self.small_disk() as disk:
            path = os.path.join(disk, "x.csv")
            with open(path, "w") as file:
                file.write("old\n")
            with open(os.path.join(disk, "ballast"), "wb") as file, contextlib.suppress(OSError):
                file.write(bytes(1 << 20))
            self.assertIn("No space", linkwork("run", DOUBLE, "-o", path, expect=1).stderr)
            with open(path) as file:
                self.assertEqual(file.read(), "old\n")
            self.assertEqual(sorted(os.listdir(disk)), ["ballast", "x.csv"])
            os.unlink(os.path.join(disk, "ballast"))
            linkwork("run", DOUBLE, "--end", "0.1", "-o", path)
            with open(path) as file:
                self.assert_whole_rows(file.read())
            self.assertEqual(os.listdir(disk), ["x.csv"])

    def test_a_full_disk_leaves_the_earlier_file(self):
        """Whatever is written as a whole, in the place of another file."""
        results = self.path("run.h5")
        linkwork("run", DOUBLE, "--end", "0.5", "-o", results)
        robot = shipped("satellite")
        with self.small_disk() as disk:
            for words, name in ((["inspect", HUMANOID, "--svg"], "x.svg"), (["inspect", HUMANOID, "--assembly-svg"], "x.svg"),
                                (["draw", DOUBLE, "-o"], "x.svg"), (["view", DOUBLE, "--end", "0.1", "-o"], "x.html"),
                                (["run", DOUBLE, "--end", "0.1", "--report"], "x.html"), (["convert", robot, "-o"], "x.yaml"),
                                (["convert", robot, "-o"], "x.xml"), (["convert", robot, "-o"], "x.urdf"),
                                (["plot", results, "q.*", "-o"], "x.svg"), (["plot", results, "q.*", "-o"], "x.pdf"),
                                (["results", results, "-o"], "x.jsonl"), (["results", results, "-o"], "x.h5"),
                                (["run", DOUBLE, "--end", "0.5", "-o"], "x.h5"), (["run", DOUBLE, "--end", "0.5", "-o"], "x.jsonl"),
                                (["view", results, "-o"], "x.html"), (["make", "chain", "200", "-o"], "x.yaml")):
                path = os.path.join(disk, name)
                with open(path, "w") as file:
                    file.write("precious")
                with open(os.path.join(disk, "ballast"), "wb") as file, contextlib.suppress(OSError):
                    file.write(bytes(1 << 20))
                done = linkwork(*words, path, expect=1)
                self.assertIn("No space", done.stderr, words)
                self.assertNotIn("wrote", done.stderr, words)
                with open(path) as file:
                    self.assertEqual(file.read(), "precious", words)
                self.assertEqual(sorted(os.listdir(disk)), ["ballast", name])
                for left in os.listdir(disk):
                    os.unlink(os.path.join(disk, left))

    def test_lines_of_json_are_whole_where_the_disk_ends(self):
        with self.small_disk() as disk:
            path = os.path.join(disk, "x.jsonl")
            done = linkwork("run", DOUBLE, "--output-step", "1e-3", "-o", path, expect=1)
            self.assertIn("No space", done.stderr)
            with open(path) as file:
                text = file.read()
            self.assertGreater(len(text), 10000)
            self.assertTrue(text.endswith("\n"))
            for line in text.splitlines():
                json.loads(line)
            self.assertEqual(os.listdir(disk), ["x.jsonl"])


class Killed(Whole):
    LONG = {"run": ["run", DOUBLE, "--end", "1e5", "--output-step", "0.01"],
            "sens": ["sens", DOUBLE, "--parameters", "La", "--end", "1e5", "--output-step", "0.01"]}

    def start(self, verb, path):
        """A run that has written something."""
        process = started(*self.LONG[verb], "-o", path)
        for _ in range(60000):  # ten minutes, for a loaded machine
            if any(os.path.getsize(self.path(n)) > 1000 for n in self.names()):
                return process
            time.sleep(0.01)
        self.fail("nothing is written")

    def assert_rows(self, text):
        """Whole rows; the system may cut the last write of a process that is killed."""
        self.assertGreater(text.count("\n"), 2)
        self.assert_whole_rows(text[:text.rindex("\n") + 1])

    def test_an_interrupt_leaves_the_rows_so_far(self):
        for verb in self.LONG:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                for before in (None, "old\n"):
                    path = self.path("x.csv")
                    if before:
                        self.write("x.csv", before)
                    process = self.start(verb, path)
                    process.send_signal(number)
                    error = process.communicate(timeout=600)[1]
                    self.assertEqual(process.returncode, -number)
                    self.assertRegex(error, "interrupted; the results end at t = ")
                    self.assert_whole_rows(self.read("x.csv"))
                    last = read_csv(path)[1][-1][0]
                    self.assertAlmostEqual(float(re.search("t = (.*)", error)[1]), last, delta=1e-4 * (1 + last))
                    self.assertEqual(self.names(), ["x.csv"])
                    os.unlink(path)

    def test_an_interrupt_is_heard_within_a_step(self):
        """The first steps of BDF need a Jacobian, of some seconds; shells show the signal."""
        chain = self.path("chain.yaml")
        links = 1500
        with open(chain, "w") as file:
            file.write("linkwork: 1\nbodies:\n")
            file.writelines(f"  b{i}: {{solid: {{rod: {{length: 1, mass: 1, axis: x}}}}}}\n" for i in range(links))
            file.write("joints:\n  j0: {type: revolute, parent: ground, child: b0, axis: y}\n")
            file.writelines(f"  j{i}: {{type: revolute, parent: b{i - 1}, child: b{i}, at: [1, 0, 0], axis: y}}\n"
                            for i in range(1, links))
        for number, shown in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            path = self.path("long.csv")
            process = started("run", chain, "--integrator", "bdf", "--end", "1", "-o", path)
            for _ in range(3000):
                if os.path.exists(path) and os.path.getsize(path) > 0:
                    break
                time.sleep(0.01)
            time.sleep(0.1)
            self.assertIsNone(process.poll())
            before = time.time()
            process.send_signal(number)
            error = process.communicate(timeout=60)[1]
            self.assertLess(time.time() - before, 9)  # not by the alarm after 10 s
            self.assertEqual(128 - process.returncode, shown)
            self.assertIn("interrupted; the results end at t = 0\n", error)
            self.assert_whole_rows(self.read("long.csv"))
            self.assertEqual(self.read("long.csv").count("\n"), 2)
            os.unlink(path)

    def test_a_kill_leaves_the_earlier_file_or_the_rows_so_far(self):
        for verb in self.LONG:
            process = self.start(verb, self.path("x.csv"))
            process.kill()
            process.communicate()
            self.assert_rows(self.read("x.csv"))
            self.assertEqual(self.names(), ["x.csv"])
            self.write("x.csv", "old\n")
            process = self.start(verb, self.path("x.csv"))
            process.kill()
            process.communicate()
            self.assertEqual(self.read("x.csv"), "old\n")
            rest = [n for n in self.names() if n != "x.csv"]
            self.assertEqual(rest, [f"x.csv.part-{process.pid}"])
            self.assert_rows(self.read(rest[0]))
            for name in self.names():
                os.unlink(self.path(name))

    def test_what_a_killed_run_left_does_not_hinder_the_next(self):
        self.write("x.csv", "old\n")
        process = self.start("run", self.path("x.csv"))
        process.kill()
        process.communicate()
        part = f"x.csv.part-{process.pid}"
        left = self.read(part)
        linkwork("run", DOUBLE, "--end", "0.1", "-o", self.path("x.csv"))
        self.assert_whole_rows(self.read("x.csv"))
        self.assertEqual(self.read(part), left)
        self.assertEqual(self.names(), ["x.csv", part])

    def test_pictures_and_modes_are_there_whole_or_not_at_all(self):
        for words, option, ending in WRITERS[2:]:
            path = self.path("x" + ending)
            linkwork(*words, option, path)
            whole = self.read("x" + ending)
            for delay in range(12):
                process = started(*words, option, path)
                time.sleep(delay * 1e-3)
                process.kill()
                process.communicate()
                times = r'"wall_time": [^\n]*'  # a page says how long its run took
                self.assertEqual(re.sub(times, "", self.read("x" + ending)), re.sub(times, "", whole))
            for name in self.names():
                os.unlink(self.path(name))

    def test_a_reader_that_goes_away_stops_the_run(self):
        process = started(*self.LONG["run"], "-o", "-")
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=600)
        self.assertNotEqual(process.returncode, 0)
        process.stderr.close()


SANITIZED = b"__asan_init" in open(LINKWORK, "rb").read() if os.path.exists(LINKWORK) else False


@unittest.skipIf(SANITIZED, "sanitizers need more addresses than there are")
class Little(unittest.TestCase):
    """Little memory: an answer or a reason, and no waiting."""

    def run_with(self, kilobytes, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))
        environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
        return subprocess.run([LINKWORK, *words], preexec_fn=limit, capture_output=True, text=True, timeout=100,
                              env=environment)

    def test_what_needs_no_linear_algebra_does_not_load_it(self):
        for words in (["--version"], ["--help"], ["run", DOUBLE], ["check", DOUBLE], ["eval", DOUBLE], ["inspect", HUMANOID],
                      ["inspect", HUMANOID, "--svg", "-"]):
            for kilobytes in (40000, 80000):
                done = self.run_with(kilobytes, *words)
                self.assertEqual(done.returncode, 0, (words, done.stderr))

    def test_what_needs_it_says_so(self):
        for verb in ("modes", "equilibrium", "check", "run"):
            for kilobytes in (30000, 80000, 130000, *range(160000, 260000, 15000), 300000):
                done = self.run_with(kilobytes, verb, shipped("hmmwv"), *(["--end", "0.01"] if verb == "run" else []))
                self.assertIn(done.returncode, (0, 1), (verb, kilobytes))
                if done.returncode == 1:
                    self.assertRegex(done.stderr, "memory|LAPACK")
        self.assertEqual(done.returncode, 0)


class Text(Whole):
    """Text from files and from the command line, escaped for where it goes."""
    NASTY = '\\e]0;owned\\a\\e[31m \\n\\r\\t \\u202Eabc\\u2066 \\x9b5m \\u2028 \\uFFFE \\uFEFF <&>\\" \\u00e4\\u20ac'

    def nasty_model(self):
        path = self.path("n.yaml")
        with open(path, "w") as file:
            file.write(f'linkwork: 1\nname: "{self.NASTY}"\nbodies: {{a: {{mass: 1, inertia: [1, 1, 1]}}}}\n'
                       'joints: {A: {type: revolute, parent: ground, child: a}}\n'
                       'parameters: {p: {value: 1, doc: "\\e[31m"}}\n')
        return path

    def assert_printable(self, text):
        for c in text:
            self.assertFalse((ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0 or
                             ord(c) in (0x61c, 0x200e, 0x200f, 0xfeff, 0xfffe) or 0x2028 <= ord(c) <= 0x202e or
                             0x2066 <= ord(c) <= 0x2069, repr(text))

    def test_nothing_in_a_model_speaks_to_the_terminal(self):
        path = self.nasty_model()
        for words in (["run"], ["check"], ["eval"], ["inspect"], ["equilibrium", "--nearest"], ["modes"], ["inverse"],
                      ["sens"]):
            for more in ([], ["--json"]):
                done = subprocess.run([LINKWORK, words[0], path, *words[1:], *more], capture_output=True)
                self.assert_printable(done.stdout.decode("utf-8", errors="strict"))
                self.assert_printable(done.stderr.decode("utf-8", errors="strict"))
                if more:
                    json.loads(done.stdout)
        name = linkwork_json("inspect", path)["name"]
        self.assertEqual(name, json.loads('"' + self.NASTY.replace("\\e", "\\u001b").replace("\\a", "\\u0007")
                                          .replace("\\x9b", "\\u009b") + '"'))
        self.assertIn("\\x1b]0;owned\\x07", linkwork("run", path).stdout)

    def test_a_unit_that_is_refused_does_not_either(self):
        path = self.path("u.yaml")
        with open(path, "w") as file:
            file.write('linkwork: 1\nparameters: {p: {value: 1, unit: "\\e[31m"}}\n')
        for more in ([], ["--json"]):
            done = subprocess.run([LINKWORK, "check", path, *more], capture_output=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"unknown unit", done.stderr)
            self.assert_printable((done.stdout + done.stderr).decode("utf-8", errors="strict"))

    def test_pictures_of_such_a_model_are_xml(self):
        path = self.nasty_model()
        for option in ("--svg", "--assembly-svg"):
            linkwork("inspect", path, option, self.path("x.svg"))
            with open(self.path("x.svg"), "rb") as file:
                text = file.read()
            xml.dom.minidom.parseString(text)
            self.assertNotIn("\ufffe", text.decode("utf-8", errors="strict"))

    def test_a_long_name_is_not_cut_within_a_character(self):
        for shift in range(4):
            path = self.path("n.yaml")
            with open(path, "w") as file:
                file.write("linkwork: 1\nname: " + "x" * shift + "\u20ac" * 400 + "\nbodies: {a: {mass: 1}}\n")
            linkwork("inspect", path, "--svg", self.path("x.svg"))
            with open(self.path("x.svg"), "rb") as file:
                text = file.read().decode("utf-8", errors="strict")
            xml.dom.minidom.parseString(text.encode())
            self.assertNotIn("\ufffd", text)
            self.assertIn("\u20ac\u2026<", text)

    def test_names_of_files_and_words_are_escaped(self):
        folder = os.fsencode(self._folder)
        for name in (b"a\x1b[31m\nb.yaml", b"\xff\xfe.yaml", "\u202egnp.yaml".encode(), b"\xc3.yaml", b"x" * 250):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(b"linkwork: 1\nbodies: {a: {mas: 1}}\n")
            for more in ([], ["--json"]):
                done = subprocess.run([os.fsencode(LINKWORK), b"check", path, *map(os.fsencode, more)], capture_output=True)
                self.assertEqual(done.returncode, 1)
                error = done.stderr.decode("utf-8", errors="strict")
                self.assert_printable(error)
                self.assertEqual(len(error.splitlines()), 1)
                self.assertEqual(error.count("2:14"), 1, error)
                if more:
                    self.assertIn("mass", json.loads(done.stdout)["text"])
        for words in ([b"r\x1b[31mn"], [b"run", b"x", b"--\x1b[31m"], [b"run", b"\x1b[31m"],
                      [b"eval", os.fsencode(DOUBLE), b"--q", b"\xffA=1"], [b"run", os.fsencode(DOUBLE), b"--set", b"\x9b=1"]):
            done = subprocess.run([os.fsencode(LINKWORK), *words], capture_output=True)
            self.assertIn(done.returncode, (1, 2))
            self.assert_printable(done.stderr.decode("utf-8", errors="strict"))


if __name__ == "__main__":
    unittest.main()
