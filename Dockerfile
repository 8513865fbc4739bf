# The lesson as a container:
#
#     docker build --tag lockstep .
#     docker run --rm --publish 127.0.0.1:8501:8501 --volume lockstep:/data lockstep
#
# Runs and answers are kept in /data. This file is checked by tests/test_container.py, which
# reads it; no image has been built from it where the project is developed.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    LOCKSTEP_DATA=/data

RUN useradd --system --uid 10001 --create-home lockstep \
    && install --directory --owner=lockstep --group=lockstep /data

WORKDIR /app

# Packages first: a change to the lesson's own files then reuses this layer.
COPY requirements.txt requirements-lesson.txt constraints.txt ./
RUN python -m pip install --requirement requirements.txt --constraint constraints.txt

# .dockerignore says what stays behind.
COPY . .

USER lockstep
VOLUME /data
EXPOSE 8501

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]

CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]
