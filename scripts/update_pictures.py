"""Make the pictures of docs/errors.md: the page of `corefscore diff --html` in a headless chromium.

    python scripts/update_pictures.py [KEY RESPONSE] [FOLDER]

Needs chromium, chromedriver and the package selenium; by default the fables of testdata/ become pictures of docs/.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

PICTURES = {"light": ("light", 1280, 620), "dark": ("dark", 1280, 620), "narrow": ("light", 420, 800)}
"""The name of each picture: its theme, and the width and height of the window."""


def browser(theme: str, width: int, height: int) -> Any:
    """A window of this size."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    dark = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0") if theme == "dark" else ()
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *dark):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = [{"name": "prefers-color-scheme", "value": theme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    return driver


def main(arguments: list[str]) -> None:
    """Write the page to a temporary folder, and a picture of each kind."""
    folder = Path(arguments.pop()) if len(arguments) % 2 else ROOT / "docs"
    fables = ROOT / "testdata" / "fables"
    sides = arguments or [str(fables / "key.conll"), str(fables / "response.conll")]
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "page.html"
        command = Path(sys.executable).with_name("corefscore")
        subprocess.run([command, "diff", *sides, "--html", page, "--quiet"], check=True)
        for name, (theme, width, height) in PICTURES.items():
            driver = browser(theme, width, height)
            driver.get(page.as_uri() + "#0")
            for key in ("n", "n"):
                driver.find_element("tag name", "body").send_keys(key)
            driver.save_screenshot(str(folder / f"diff-{name}.png"))
            driver.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
